import { writeSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./settings/settings.ts";

/** File descriptor of standard output (POSIX). */
const standardOutputFd = 1;

/** Longest text of one field of a log line, in UTF-16 units. */
const fieldMax = 1_000;

/** The log of the server. */
export type Log = Logger;

/**
 * Opens the log: one JSON object per line, times in UTC, to standard output by default.
 *
 * @example
 * openLog("info").info({ port: 8080 }, "ready");
 */
export function openLog(level: Config["logLevel"], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Standard output as a destination that never blocks or fails the server: a line that cannot be written, because the
 * disk is full or the reader is gone, is dropped, and the next line that can be written reports it.
 */
function standardOutput(): DestinationStream {
  let dropped = 0;
  return {
    write(line) {
      const gap =
        dropped === 0 ? "" : `\n{"level":"warn","dropped":${dropped},"msg":"lines lost"}\n`;
      try {
        let rest = Buffer.from(gap + line);
        while (rest.length > 0) rest = rest.subarray(writeSync(standardOutputFd, rest));
        dropped = 0;
      } catch {
        dropped += 1;
      }
    },
  };
}

/** Text from a caller as a field of the log: cut, and without characters that could end the line in some reader. */
export function logText(text: string): string {
  const cut = text.length > fieldMax ? `${text.slice(0, fieldMax)}…` : text;
  return cut.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
