import { isatty } from "node:tty";
import { exitCodes } from "../../exit-codes.ts";

/** What stops a server. */
export interface ShutdownReason {
  readonly name: string;
  /** What went wrong; undefined for a signal. */
  readonly cause?: string;
}

const stopped = Promise.withResolvers<ShutdownReason>();
let isListening = false;
let hungUp = () => {};

/** Resolves when a signal stops the server. Signals are heard from the first call on; a second one ends the process at once. */
export function listenForSignals(): Promise<ShutdownReason> {
  if (isListening) return stopped.promise;
  isListening = true;
  let asked = false;
  // On a terminal SIGHUP says that its window was closed; a server without one is asked to read its files again.
  const isOnTerminal = isatty(0) || isatty(1);
  if (!isOnTerminal) process.on("SIGHUP", () => hungUp());
  for (const name of [
    "SIGTERM",
    "SIGINT",
    ...(isOnTerminal ? (["SIGHUP"] as const) : []),
  ] as const) {
    process.on(name, () => {
      if (asked) process.exit(exitCodes.failed);
      asked = true;
      stopped.resolve({ name });
    });
  }
  return stopped.promise;
}

/**
 * Resolves when a signal or a bug stops the server.
 *
 * @param onHangUp called on SIGHUP, where that does not stop it.
 */
export function shutdownReason(onHangUp: () => void): Promise<ShutdownReason> {
  hungUp = onHangUp;
  onBug(stopped.resolve);
  return listenForSignals();
}

/**
 * The alarm, not the error handling: nothing should ever arrive here, and nobody knows in what state the process is when
 * something does.
 */
export function onBug(stop: (reason: ShutdownReason) => void): void {
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (cause: unknown) => {
      stop({
        name,
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      });
    });
  }
}
