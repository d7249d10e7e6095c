import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { type DestinationStream, type Logger, pino } from "pino";
import { renderLogLine } from "./log-line.ts";
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
  return pino(options, destination ?? standardOutput((line) => line));
}

/** Opens the log of some settings, to standard output: for people where that is a terminal. */
export function openConfiguredLog({
  logLevel,
  logFormat,
}: Pick<Config, "logLevel" | "logFormat">): Logger {
  const isText = logFormat === "auto" ? isatty(standardOutputFd) : logFormat === "text";
  return openLog(logLevel, isText ? standardOutput(renderLogLine) : undefined);
}

/**
 * Standard output as a destination that never blocks or fails the server: with a full disk or
 * without a reader, lines are dropped, and the next one that can be written reports it.
 *
 * @param render makes what is written of a line of JSON.
 */
function standardOutput(render: (line: string) => string): DestinationStream {
  let dropped = 0;
  return {
    write(line) {
      const lost = `{"level":"warn","dropped":${dropped},"msg":"lines lost"}\n`;
      const gap = dropped === 0 ? "" : `\n${render(lost)}`;
      try {
        let rest = Buffer.from(gap + render(line));
        while (rest.length > 0) rest = rest.subarray(writeSync(standardOutputFd, rest));
        dropped = 0;
      } catch {
        dropped += 1;
      }
    },
  };
}

/** Makes a field of the log of a caller's text: cut, and with line ends of any reader escaped. */
export function logText(text: string): string {
  const cut = text.length > fieldMax ? `${text.slice(0, fieldMax)}…` : text;
  return cut.replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Log-in events that an operator should look at (decision 0026). */
export const logInAlarms = [
  "token-reused",
  "account-blocked",
  "operator-blocked",
  "network-blocked",
] as const;

/** The name of such an event. */
export type LogInAlarm = (typeof logInAlarms)[number];

/** A log-in event of the audit, as far as the log needs it (decision 0026). */
interface LoggedEvent {
  readonly atMs: number;
  readonly name: string;
  readonly accountId: bigint | null;
  readonly instanceId: bigint | null;
}

/** Logs a log-in event. */
export type LogInLog = (event: LoggedEvent) => void;

/** Creates a listener that logs log-in events, and counts those that are alarms. */
export function createLogInLog(log: Logger, onAlarm: (alarm: LogInAlarm) => void): LogInLog {
  return ({ atMs: _, name, accountId, instanceId, ...facts }) => {
    const alarm = logInAlarms.find((one) => one === name);
    if (alarm !== undefined) onAlarm(alarm);
    // Ids as text keep all digits.
    const all = { recordId: accountId, applicationInstanceId: instanceId, ...facts };
    const line: Record<string, string> = { event: name };
    for (const [key, value] of Object.entries(all)) {
      if (value !== null) line[key] = String(value);
    }
    log[alarm === undefined ? "info" : "warn"](line, "log-in");
  };
}
