import { Readable } from "node:stream";
import { CommandError, exitCodes } from "../exit-codes.ts";
import type { Terminal } from "./terminal.ts";

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
 * Runs a long command with a signal that Ctrl+C or SIGTERM aborts; a second one ends the process. The command either ends in good order when it sees
 * that `signal.aborted`, or throws: then the error is the interruption, whatever else failed because of it.
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
