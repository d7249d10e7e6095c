import { change, type Random } from "./byte-changes.ts";
import type { Original } from "./originals.ts";

/** A changed request. */
export interface Mutant {
  readonly original: Original;
  readonly bytes: Buffer;
  /** True when its frame is whole: it is one request, with exactly one response. */
  readonly isFramed: boolean;
}

/** Of this many requests one is changed anywhere, also where that breaks its frame. */
const unframedEach = 16;

/** Changes one of the originals at random; the same numbers make the same change. */
export function mutate(originals: readonly Original[], random: Random): Mutant {
  const original = originals[random(originals.length)];
  if (original === undefined) throw new Error("There is nothing to change");
  if (random(unframedEach) === 0) {
    return { original, bytes: change(original.bytes, random, originals), isFramed: false };
  }
  const what = random(10);
  const body = what < 7 ? change(original.body, random, originals) : original.body;
  const line = what === 7 ? changeTarget(original.line, random, originals) : original.line;
  const fields = what > 7 ? changeField(original.fields, random, originals) : original.fields;
  const length =
    body.length > 0 || line.startsWith("POST") ? [`Content-Length: ${body.length}`] : [];
  const head = Buffer.from(`${[line, ...fields, ...length].join("\r\n")}\r\n\r\n`, "latin1");
  return {
    original,
    bytes: Buffer.concat([head, body]),
    isFramed: !/^(?:HEAD|CONNECT) /.test(line),
  };
}

/** Text without what would end a line. */
function oneLine(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\r\n\0]/g, "~");
}

function changeTarget(line: string, random: Random, others: readonly Original[]): string {
  const [method = "", target = "", version = ""] = line.split(" ");
  const changed = oneLine(change(Buffer.from(target, "latin1"), random, others));
  return `${method} /${changed.replace(/[^\x21-\x7e]/g, "~").slice(1)} ${version}`;
}

/** Changes the value of one field. Its name stays: another might frame the body. */
function changeField(
  fields: readonly string[],
  random: Random,
  others: readonly Original[],
): readonly string[] {
  const at = random(fields.length);
  return fields.map((field, i) => {
    if (i !== at) return field;
    const colon = field.indexOf(":");
    const value = Buffer.from(field.slice(colon + 1), "latin1");
    return `${field.slice(0, colon)}:${oneLine(change(value, random, others))}`;
  });
}
