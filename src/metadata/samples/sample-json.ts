import { compileJsonObject } from "../../codec/json/writer.ts";
import type { SampleCall } from "./sample-call.ts";

/** JSON of a request on one line; longs have all their digits. */
export function requestJson({ request, input }: SampleCall): string {
  return compileJsonObject(request, "json")(input);
}

/** JSON of an answer on one line. */
export function responseJson({ operation, result }: SampleCall): string {
  if (operation.result === undefined || result === undefined) return '{"d":null}';
  return `{"d":${compileJsonObject(operation.result, "json")(result)}}`;
}

/** Strings, signs of structure, and all else, such as numbers and the placeholders for them. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:\s]+/g;

/**
 * JSON of one line, indented by two blanks for reading. What stands in it stays to the letter: a parser would round
 * longs, and refuse placeholders.
 */
export function indentJson(json: string): string {
  let depth = 0;
  let last = "";
  let text = "";
  for (const [found] of json.matchAll(token)) {
    const isClosing = closing.has(found);
    const startsLine = isClosing ? !opening.has(last) : last === "," || opening.has(last);
    if (isClosing) depth -= 1;
    if (startsLine) text += `\n${"  ".repeat(depth)}`;
    if (opening.has(found)) depth += 1;
    text += found === ":" ? ": " : found;
    last = found;
  }
  return text;
}

const opening: ReadonlySet<string> = new Set(["{", "["]);
const closing: ReadonlySet<string> = new Set(["}", "]"]);
