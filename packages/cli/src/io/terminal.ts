import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { InputFile } from "../rows/input-file.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { findOpened } from "./server-user.ts";
import type { Styling } from "./style.ts";

/** Where a command reads and writes; tests pass their own. */
export interface Terminal extends Styling {
  /** Writes results; the text ends with a line end. */
  out(text: string): void;
  /** Writes what is for people only. */
  err(text: string): void;
  /** Standard input: secrets, consent, and files named `-`. */
  readonly input?: Input;
}

/** A terminal that a person types on, or else a pipe or a file. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Asks for consent; resolves to false unless a person types "yes" on a terminal. */
async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const { input } = terminal;
  if (input?.isTTY !== true) return false;
  const reader = createInterface({ input, terminal: false });
  terminal.err(`${question} Type yes: `);
  try {
    const { value, done } = await reader[Symbol.asyncIterator]().next();
    return !done && value.trim().toLowerCase() === "yes";
  } finally {
    reader.close();
  }
}

/**
 * Asks for consent to a change, unless it was given with `--yes`.
 *
 * @param change a verb with its object, for example `"remove 2 accounts for good"`.
 * @throws {CommandError} without consent.
 */
export async function requireConsent(
  terminal: Terminal,
  { yes = false }: { readonly yes?: boolean },
  change: string,
): Promise<void> {
  const question = `${change[0]?.toUpperCase()}${change.slice(1)}?`;
  if (yes || (await confirm(terminal, question))) return;
  throw new CommandError(`Nothing was changed. Use --yes to ${change}.`);
}

/** The name of standard input on a command line. */
export const standardInput = "-";

/**
 * Opens a file of rows; `-` is standard input.
 *
 * @throws {CommandError} when standard input is a terminal.
 * @throws {RowFileError} when the file is a folder.
 * @throws {Error} of the operating system when it cannot be opened.
 */
export function openInput(path: string, terminal: Terminal): InputFile {
  if (path === standardInput) {
    return InputFile.fromStream("standard input", requireInput(terminal));
  }
  const opened = findOpened(path);
  // The user of the server may not even look into the folder.
  if (opened === null) throw new CommandError(`File not found: ${path}.`);
  return InputFile.open(path, path, opened);
}

/**
 * Standard input.
 *
 * @throws {CommandError} when it is a terminal.
 */
export function requireInput({ input }: Terminal): Input {
  if (input !== undefined && input.isTTY !== true) return input;
  throw new CommandError(
    "There is no input to read.\nName a file, or pipe one in.",
    exitCodes.usage,
  );
}

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Calls `listener` on each Ctrl+C or SIGTERM, which then do not end the process.
 *
 * @returns a function that stops listening.
 */
export function onInterrupt(listener: () => void): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/**
 * Runs a long command with a signal that Ctrl+C or SIGTERM aborts; a second one ends the process.
 * The command either ends in good order when it sees that `signal.aborted`, or throws: then the
 * error is the interruption, whatever else failed because of it.
 *
 * @param message what the error says, for example `Interrupted. Nothing was changed.`
 * @throws {CommandError} with exit code 130 when it was interrupted and did not end in good order.
 */
export async function interruptible<Result>(
  { input }: Terminal,
  message: string,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = onInterrupt(() => {
    stop();
    controller.abort(new CommandError(message, exitCodes.interrupted));
    // Reading a pipe that stays open and silent would otherwise never end.
    if (!(input instanceof Readable)) return;
    // Most commands never read the input; an error event without a listener would end the process.
    input.on("error", () => {});
    input.destroy(signal.reason);
  });
  try {
    return await run(signal);
  } catch (cause) {
    throw signal.aborted ? signal.reason : cause;
  } finally {
    stop();
  }
}
