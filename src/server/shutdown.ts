import cluster from "node:cluster";
import { isatty } from "node:tty";
import type { Logger } from "pino";
import type { Listening } from "./http/listener.ts";
import type { Config } from "./settings/settings.ts";

// How a server ends: SIGTERM or SIGINT, then open requests, then the database, all within WFH_SHUTDOWN_TIMEOUT_MS. A
// second signal ends the process at once. SIGHUP does not end it: it reads the postal data again.

/** Exit code of a server that did not end cleanly, as all commands have it (`cli/exit-codes.ts`). */
const failedExitCode = 3;

/** Share of the time that is left for the database when open requests use up theirs. */
const storeShare = 0.1;

/** Least time to close the database, in milliseconds: one that responds needs less. */
const storeLeastMs = 500;

/** Why a server stops. */
export interface ShutdownReason {
  readonly name: string;
  /** What went wrong; undefined for a signal. */
  readonly cause?: string;
}

const stopped = Promise.withResolvers<ShutdownReason>();
let isListening = false;
let reload = () => {};

/**
 * Resolves when the server is to stop. Signals are handled from the first call on; a second one ends the process at
 * once.
 */
export function listenForSignals(): Promise<ShutdownReason> {
  if (isListening) return stopped.promise;
  isListening = true;
  let isStopping = false;
  const stop = (name: string) => {
    // Terminals and service managers signal all processes; a worker waits for what its supervisor makes of it.
    if (cluster.isWorker) return;
    if (isStopping) process.exit(failedExitCode);
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
 * Resolves to the reason when a signal or an uncaught error stops the server.
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

/** A running server. */
export interface RunningServer {
  readonly listening: Pick<Listening, "close">;
  readonly store: { close(): Promise<void>; queuedRows(): number };
  readonly config: Pick<Config, "databaseUrl" | "shutdownTimeoutMs">;
  readonly log: Pick<Logger, "info" | "error">;
}

/**
 * Closes a server within WFH_SHUTDOWN_TIMEOUT_MS: finishes the requests that have begun, then writes what waits for the
 * database. Resolves to whether all went well: the reason was a signal, and no connection had to be cut.
 */
export async function shutDown(server: RunningServer, reason: ShutdownReason): Promise<boolean> {
  const { listening, config, log } = server;
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const untilMs = performance.now() + config.shutdownTimeoutMs;
  const isClean = await listening.close(config.shutdownTimeoutMs * (1 - storeShare));
  // After the last response: what it acknowledged is on disk, what still waits is written now.
  await closeStore(server, untilMs);
  log.info({ clean: isClean }, "stopped");
  return isClean && reason.cause === undefined;
}

/**
 * Closes the database. One that does not respond in time is given up, and the process ends: what waits has not been
 * acknowledged.
 *
 * @param untilMs end of the time for it, by `performance.now()`.
 */
export async function closeStore(
  {
    store,
    config,
    log,
  }: Pick<RunningServer, "store" | "log"> & {
    readonly config: Pick<Config, "databaseUrl">;
  },
  untilMs: number,
): Promise<void> {
  const giveUp = () => {
    const waiting = store.queuedRows();
    log.error({ waiting }, "the database does not respond: waiting page requests are given up");
    log.info({ clean: false }, "stopped");
    if (hasStoreThread(config)) killProcess();
    process.exit(failedExitCode);
  };
  const timer = setTimeout(giveUp, Math.max(storeLeastMs, untilMs - performance.now()));
  await store.close();
  clearTimeout(timer);
}

/** Whether the database is a SQLite file, which is on a thread of this process. */
export function hasStoreThread({ databaseUrl }: Pick<Config, "databaseUrl">): boolean {
  return databaseUrl.startsWith("sqlite:");
}

/**
 * Ends the process when an exit could hang: it waits for all threads, and that of a SQLite file may wait for a disk
 * that has stopped.
 */
export function killProcess(): void {
  process.kill(process.pid, "SIGKILL");
}
