import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./settings.ts";

/** Longest text that one field of a log line holds, in UTF-16 units. */
const fieldMax = 1_000;

/** Where the server tells what happens to it. */
export type Log = Logger;

/** Opens the log: one JSON object for each line, times in UTC, to standard output unless told otherwise. */
export function openLog(level: Config["logLevel"], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Text from outside as a field of the log: cut, and without characters that could end the line in some reader. */
export function logText(text: string): string {
  const cut = text.length > fieldMax ? `${text.slice(0, fieldMax)}…` : text;
  return cut.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
