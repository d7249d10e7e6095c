import { createWriteStream, openSync } from "node:fs";
import { finished } from "node:stream/promises";
import { describeFileError } from "../../../lib/file-error.ts";
import { CommandError } from "../../exit-codes.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import type { Reject } from "./import-tally.ts";

/** Names are nobody else's business. */
const ownerOnly = 0o600;

/** A file of rows that were not brought in. */
export interface RejectsFile {
  add(reject: Reject): void;
  /** Throws {CommandError} when the file could not be written. */
  close(): Promise<void>;
}

/**
 * Opens the file, which is overwritten: one JSON object for each row, without hashes and passwords.
 *
 * @throws {CommandError} when it cannot be written.
 */
export function openRejects(path: string): RejectsFile {
  const stream = createWriteStream(path, { fd: openFile(path) });
  let failure: Error | undefined;
  stream.on("error", (cause) => {
    failure = cause;
  });
  return {
    add: ({ line, recordId, userName, reason, message }) => {
      stream.write(renderJsonLine({ line, recordId, userName, reason, message }));
    },
    close: async () => {
      stream.end();
      await finished(stream).catch(() => {});
      if (failure !== undefined) throw notWritable(path, failure);
    },
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, "w", ownerOnly);
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

function notWritable(path: string, cause: unknown): CommandError {
  const message = `The rejects cannot be written. ${describeFileError(toPrintable(path), cause)}.`;
  return new CommandError(message, undefined, cause);
}
