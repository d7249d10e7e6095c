import { exitCodes } from "./exit-codes.ts";

/** What stops a server. */
export interface StopReason {
  readonly name: string;
  /** What went wrong; undefined for a signal. */
  readonly cause?: string;
}

/**
 * Waits for what stops the server. A second signal ends the process at once.
 *
 * @param hungUp called on SIGHUP, where that does not stop it.
 */
export function stopReason(hungUp: () => void): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>();
  let asked = false;
  // On a terminal SIGHUP says that its window was closed; a server without one is asked to read its files again.
  const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY;
  if (!isOnTerminal) process.on("SIGHUP", hungUp);
  for (const name of [
    "SIGTERM",
    "SIGINT",
    ...(isOnTerminal ? (["SIGHUP"] as const) : []),
  ] as const) {
    process.on(name, () => {
      if (asked) process.exit(exitCodes.failed);
      asked = true;
      resolve({ name });
    });
  }
  onBug(resolve);
  return promise;
}

/**
 * The alarm, not the error handling: nothing should ever arrive here, and nobody knows in what state the process is when
 * something does.
 */
export function onBug(stop: (reason: StopReason) => void): void {
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (cause: unknown) => {
      stop({
        name,
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      });
    });
  }
}
