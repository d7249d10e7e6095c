import { type CheckResult, toRefusal } from "@wfh/server/lib/check.ts";
import { isSystemError, messageOf } from "@wfh/server/lib/file-error.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { SettingsError } from "@wfh/server/server/settings/config.ts";
import {
  OtherKeyError,
  OtherServerError,
  StoreError,
  StoreUnavailableError,
} from "@wfh/server/store/store-error.ts";
import { RowFileError } from "../rows/row-file-error.ts";
import { type Styling, styled } from "./style.ts";

/** Exit codes; the numbers are a promise to scripts. */
export const exitCodes = {
  done: 0,
  no: 1,
  usage: 2,
  // EX_UNAVAILABLE and EX_CONFIG of sysexits.h, by which systemd names the end of a service.
  failed: 69,
  config: 78,
  // As shells have it.
  interrupted: 130,
} as const;

/** Meaning of each number, for people; `--help` and docs/operating.md show it. */
const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  no: "negative result: not found, not ready, problems found, or rows rejected",
  usage: "invalid command line",
  failed: "failed",
  config: "settings, keys, postal codes or database that have to be corrected",
  interrupted: "interrupted (Ctrl+C) before the work was done",
};

/** Every exit code with its meaning, ascending. */
export const exitCodeTable: readonly (readonly [code: number, meaning: string])[] = (
  Object.keys(meanings) as (keyof typeof exitCodes)[]
).map((name) => [exitCodes[name], meanings[name]]);

/** A command that ends with a message instead of a result. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, cause?: unknown) {
    super(message, { cause });
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** The error of files of the settings that have to be corrected: the sentence, below it the fix. */
export function refuse(found: CheckResult, cause?: unknown): CommandError {
  return new CommandError(`${toRefusal(found, "\n")}.`, exitCodes.config, cause);
}

/** The error of a command that names an account, form, operator or token that does not exist. */
export function unknownName(kind: string, name: string): CommandError {
  return new CommandError(
    `There is no ${kind} ${toPrintable(name)}. List the ${kind}s: wfh ${kind}s list`,
    exitCodes.no,
  );
}

/** Writes the error that ended a command and its fix; returns the exit code. Throws bugs. */
export function reportError(
  reason: unknown,
  terminal: { readonly err: (text: string) => void } & Styling,
): number {
  if (reason instanceof StoreError) {
    const hint = reason instanceof OtherKeyError ? "." : "\nCheck WFH_DATABASE_URL.";
    // What waiting mends is no mistake of the settings.
    const passes = reason instanceof StoreUnavailableError || reason instanceof OtherServerError;
    const code = passes ? exitCodes.failed : exitCodes.config;
    return reportError(new CommandError(reason.message + hint, code), terminal);
  }
  if (reason instanceof SettingsError) {
    return reportError(new CommandError(reason.message, exitCodes.config), terminal);
  }
  if (reason instanceof CommandError) {
    // What was wrong is in the first line, and how to fix it below.
    const text = reason.message.split("\n").map(toPrintable).join("\n");
    const message = text.replace(/^.+/, (line) => styled(terminal, "red", line, "err"));
    terminal.err(`${message}\n`);
    return reason.exitCode;
  }
  const sentence = describeFileFailure(reason);
  if (sentence === undefined) throw reason;
  terminal.err(`${sentence}\n`);
  return exitCodes.failed;
}

/** Names the file in an error of the system that names none, such as that of a full disk. */
export function nameFile(file: string, cause: unknown): unknown {
  if (isSystemError(cause)) cause.path ??= file;
  return cause;
}

/** Uses a file, which errors of the system name then. */
export function usingFile<Result>(file: string, use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    throw nameFile(file, cause);
  }
}

/** The sentence for people about an error of a file; undefined for any other error. */
export function describeFileFailure(reason: unknown): string | undefined {
  if (reason instanceof RowFileError) return toPrintable(reason.sentence);
  if (!isSystemError(reason) || reason.path === undefined) return undefined;
  return `${toPrintable(messageOf(reason))}.`;
}
