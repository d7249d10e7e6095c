import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { CommandError, nameFile } from "@wfh/cli/io/exit-codes.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { type Exchange, parseExchange } from "./exchange.ts";
import { fromHar } from "./har.ts";
import type { Recognize } from "./recognize.ts";
import type { Redact } from "./redact-exchange.ts";

/** Longest line of a recording, in bytes: several times the longest that is written. */
export const lineBytesMax = 67_108_864;
/** Longest HAR, in bytes: it is read whole, and no text of Node.js is longer than 512 MiB. */
const harBytesMax = 402_653_184;

/** Settings and listeners of a reader. */
export interface ReadRecordingOptions {
  /** For HAR, whose entries may be of any site: only those of services are read. */
  readonly recognize: Recognize;
  /** For HAR, which has the secrets still in it. */
  readonly redact: Redact;
  /** Gets a sentence about a last line that is incomplete, and left out. */
  readonly onTorn?: (sentence: string) => void;
  /** Gets a sentence about any other line that cannot be read, and the others are read on. */
  readonly onUnreadable?: (sentence: string) => void;
}

/**
 * Reads the exchanges of a recording or of a HAR 1.2 file, one at a time.
 *
 * @throws {CommandError} with the line that cannot be read, unless `onUnreadable` takes it.
 */
export async function* readRecording(
  path: string,
  options: ReadRecordingOptions,
): AsyncGenerator<Exchange> {
  try {
    if (await isHarFile(path)) yield* readHarFile(path, options);
    else yield* readExchanges(path, options);
  } catch (cause) {
    throw nameFile(path, cause);
  }
}

/**
 * True for a file of HAR, which begins with its log; a recording never does.
 *
 * @throws {CommandError} for a folder, and for a pipe: what is read here would be missing later.
 */
async function isHarFile(path: string): Promise<boolean> {
  const found = await stat(path);
  if (found.isDirectory()) throw new CommandError(`${path} is a folder: name a file.`);
  if (!found.isFile()) {
    throw new CommandError(`${path} is a pipe or a device. Save the recording in a file.`);
  }
  for await (const start of createReadStream(path, { encoding: "utf8", end: 1_023 })) {
    return /^\ufeff?\s*\{\s*"log"\s*:/.test(start);
  }
  return false;
}

async function* readExchanges(path: string, { onTorn, onUnreadable }: ReadRecordingOptions) {
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      yield parseExchange(JSON.parse(line.replace(/^\ufeff/, "")));
    } catch (cause) {
      const where = `${path}, line ${number}`;
      const what =
        cause instanceof SyntaxError
          ? "not JSON. Name a recording or a HAR file."
          : `${messageOf(cause)}. Record again.`;
      const isTorn = !line.endsWith("\n");
      if (isTorn) onTorn?.(`${where}: incomplete, and left out. The recorder was killed.`);
      else if (onUnreadable !== undefined) onUnreadable(`${where}: ${what}`);
      else throw new CommandError(`${where}: ${what}`, undefined, cause);
    }
  }
}

/** Lines with their line end, which an incomplete one does not have. */
async function* readLines(path: string) {
  let rest = "";
  const options = { encoding: "utf8", highWaterMark: 1_048_576 } as const;
  for await (const chunk of createReadStream(path, options)) {
    const lines = chunk.split("\n");
    for (const end of lines.slice(0, -1)) {
      yield `${rest}${end}\n`;
      rest = "";
    }
    rest += lines.at(-1);
    if (rest.length > lineBytesMax) {
      throw new CommandError(`${path} has lines of more than 64 MiB. Name a recording.`);
    }
  }
  yield rest;
}

/**
 * Reads the exchanges of a HAR 1.2 file.
 *
 * @throws {CommandError} when it is not HAR.
 */
export async function* readHarFile(path: string, options: ReadRecordingOptions) {
  if ((await stat(path)).size > harBytesMax) {
    throw new CommandError(`${path} is longer than 384 MiB. Save it in parts.`);
  }
  const text = await readFile(path, "utf8");
  try {
    yield* fromHar(JSON.parse(text.replace(/^\ufeff/, "")), options);
  } catch (cause) {
    throw new CommandError(`${path} is not HAR 1.2: ${messageOf(cause)}.`, undefined, cause);
  }
}
