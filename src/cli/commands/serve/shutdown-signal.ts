import cluster from "node:cluster";
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
let reload = () => {};

/** Resolves when the server is to stop. Signals are handled from the first call on; a second one ends the process at once. */
export function listenForSignals(): Promise<ShutdownReason> {
  if (isListening) return stopped.promise;
  isListening = true;
  let isStopping = false;
  const stop = (name: string) => {
    // Terminals and service managers signal all processes; a worker waits for what its supervisor makes of it.
    if (cluster.isWorker) return;
    if (isStopping) process.exit(exitCodes.failed);
    isStopping = true;
    stopped.resolve({ name });
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop(name));
  // On a terminal SIGHUP means that its window was closed; anywhere else it asks a server to read its files again.
  const isOnTerminal = isatty(0) || isatty(1);
  process.on("SIGHUP", () => {
    if (isOnTerminal) stop("SIGHUP");
    else if (!cluster.isWorker) reload();
  });
  return stopped.promise;
}

/** Stops the server for another reason than a signal. */
export function requestShutdown(reason: ShutdownReason): void {
  stopped.resolve(reason);
}

/** Reads files again, as on SIGHUP. */
export function requestReload(): void {
  reload();
}

/**
 * Resolves when a signal or a bug stops the server.
 *
 * @param onReload called on SIGHUP, where that does not stop it.
 */
export function shutdownReason(onReload: () => void): Promise<ShutdownReason> {
  reload = onReload;
  // The alarm, not the error handling: after an error that nothing caught, the state of the process is unknown.
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (cause: unknown) => {
      const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      stopped.resolve({ name, cause: text });
    });
  }
  return listenForSignals();
}
