import { isatty } from "node:tty";
import type { Logger } from "pino";
import type { Listening } from "./http/listener.ts";
import type { Config } from "./settings/settings.ts";

// How a server ends: SIGTERM or SIGINT, after SIGTERM the drain, then open requests, then the
// database, both within WFH_SHUTDOWN_TIMEOUT_MS. A second signal ends the process at once; after an
// error, the first one does not. SIGHUP does not end it: it reads the postal data again.

/** Exit code of a server that did not end cleanly (`cli/io/exit-codes.ts`). */
const failedExitCode = 69;

/** Share of the time that is left for the database when open requests use up theirs. */
const storeShare = 0.1;

/** Least time to close the database, in milliseconds: one that responds needs less. */
const storeLeastMs = 500;

/** Why a server stops. */
export interface ShutdownReason {
  readonly name: string;
  /** Error that stopped it; undefined for a signal. */
  readonly cause?: string;
}

const stopped = Promise.withResolvers<ShutdownReason>();
let isListening = false;
let isStopping = false;
/** True once a signal has asked the server to stop: an error lets requests finish. */
let isSignalled = false;
/** True once an error was caught by nothing else, also while the server stops. */
let hasUncaughtError = false;
let reload = () => {};

/** Resolves when the server is to stop. Handles signals, of which a second ends the process. */
export function listenForSignals(): Promise<ShutdownReason> {
  if (isListening) return stopped.promise;
  isListening = true;
  const stop = (name: string) => {
    if (isSignalled) process.exit(failedExitCode);
    isSignalled = true;
    requestShutdown({ name });
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop(name));
  // On a terminal SIGHUP means that its window was closed; elsewhere it asks to reload files.
  const isOnTerminal = isatty(0) || isatty(1);
  process.on("SIGHUP", () => {
    if (isOnTerminal) stop("SIGHUP");
    else reload();
  });
  return stopped.promise;
}

/** Stops the server; the first reason counts. */
function requestShutdown(reason: ShutdownReason): void {
  isStopping = true;
  stopped.resolve(reason);
}

/**
 * Resolves to the reason when a signal or an uncaught error stops the server.
 *
 * @param onReload called on SIGHUP, where that does not stop it.
 */
export function shutdownReason(
  onReload: () => void,
  log: Pick<Logger, "error">,
): Promise<ShutdownReason> {
  reload = onReload;
  // After an error that nothing caught, the state of the process is unknown: the server stops.
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (reason: unknown) => {
      const cause = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
      hasUncaughtError = true;
      // It may come when the exit code of a clean end is set.
      process.exitCode = failedExitCode;
      if (isStopping) log.error({ reason: name, cause }, "uncaught error while stopping");
      requestShutdown({ name, cause });
    });
  }
  return listenForSignals();
}

interface RunningServer {
  readonly listening: Pick<Listening, "drain" | "close">;
  readonly store: { close(): Promise<void>; queuedRows(): number };
  readonly config: Pick<Config, "databaseUrl" | "shutdownTimeoutMs">;
  readonly log: Pick<Logger, "info" | "error">;
}

/**
 * Stops a server: drains it after SIGTERM, then finishes within WFH_SHUTDOWN_TIMEOUT_MS the
 * requests that have begun and writes what waits for the database. Resolves to true where all went
 * well: a signal stopped it, no connection had to be cut, and there was no uncaught error.
 */
export async function shutDown(server: RunningServer, reason: ShutdownReason): Promise<boolean> {
  const { listening, config, log } = server;
  const { name, cause } = reason;
  log.info({ reason: name, cause }, "stopping");
  // SIGINT is a person who waits, and after an error the state of the process is unknown.
  if (name === "SIGTERM") await listening.drain();
  const { shutdownTimeoutMs } = config;
  const untilMs = performance.now() + shutdownTimeoutMs;
  const isClosed = await listening.close(shutdownTimeoutMs * (1 - storeShare));
  // After the last response: what it acknowledged is on disk, what still waits is written now.
  await closeStore(server, untilMs);
  const clean = isClosed && cause === undefined && !hasUncaughtError;
  log.info({ clean }, "stopped");
  return clean;
}

/**
 * Closes the database. If it takes too long, the process ends: what waits is unacknowledged.
 *
 * @param untilMs end of the time for it, by `performance.now()`.
 * @param cause of a server that did not start.
 */
export async function closeStore(
  { store, config, log }: Omit<RunningServer, "listening">,
  untilMs: number,
  cause?: string,
): Promise<void> {
  const giveUp = () => {
    const waiting = store.queuedRows();
    log.error({ waiting }, "the database does not respond: waiting page requests are lost");
    log.info({ clean: false, cause }, "stopped");
    if (hasStoreThread(config)) killProcess();
    process.exit(failedExitCode);
  };
  const timer = setTimeout(giveUp, Math.max(storeLeastMs, untilMs - performance.now()));
  await store.close();
  clearTimeout(timer);
}

/** Returns true for a SQLite file, which is on a thread of this process. */
export function hasStoreThread({ databaseUrl }: Pick<Config, "databaseUrl">): boolean {
  return databaseUrl.startsWith("sqlite:");
}

/** Ends the process where an exit could hang: a SQLite thread may wait for a stopped disk. */
export function killProcess(): void {
  process.kill(process.pid, "SIGKILL");
}
