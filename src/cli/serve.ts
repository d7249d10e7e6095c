import type { Listening } from "../server/listen.ts";
import { openLog } from "../server/log.ts";
import { startService } from "../service.ts";
import type { Store } from "../store/open-store.ts";
import { renderBanner } from "./banner.ts";
import type { Console } from "./console.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { followGazetteer } from "./follow-gazetteer.ts";
import { openServedGazetteer } from "./gazetteer.ts";
import { readConfiguredKeys } from "./secret-keys.ts";
import { readSettings } from "./settings.ts";
import { openConfiguredStore } from "./store.ts";

/** Options of `serve`. */
export interface ServeOptions {
  readonly config?: string;
}

/**
 * Runs the server until a signal or an error stops it. Resolves to the exit code: `done` after a
 * clean end, `failed` when connections had to be cut or a bug ended it.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function serve(options: ServeOptions, console: Console): Promise<number> {
  const config = readSettings(options.config, console);
  const gazetteer = openServedGazetteer(config.gazetteer);
  const log = openLog(config.logLevel);
  const secretKeys = readConfiguredKeys(config);
  const store = await openConfiguredStore(config, log);
  store.retention.start();
  const parts = { config, gazetteer, store, secretKeys, log };
  const listening = await start(() => startService(parts), store);
  log.info({ url: listening.url, postalCodes: gazetteer.facts.postalCodeCount }, "listening");
  console.err(renderBanner(listening.url, config, gazetteer.facts));
  const { lookAgain } = followGazetteer(gazetteer, log);
  const reason = await stopReason(lookAgain);
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const clean = await listening.close();
  // After the last answer: what it acknowledged is on disk, what still waits is written now.
  await store.close();
  log.info({ clean }, "stopped");
  return clean && reason.cause === undefined ? exitCodes.done : exitCodes.failed;
}

async function start(run: () => Promise<Listening>, store: Store): Promise<Listening> {
  try {
    return await run();
  } catch (cause) {
    await store.close();
    const { code, message } = cause as NodeJS.ErrnoException;
    const advice: Readonly<Record<string, string>> = {
      EADDRINUSE: "Another program uses that port: stop it, or set WFH_PORT (0 picks a free one).",
      EACCES: "That port is reserved: set WFH_PORT to one above 1023.",
      EADDRNOTAVAIL: "This machine has no such address: set WFH_HOST to one it has.",
      ENOTFOUND: "That name has no address: set WFH_HOST to one of this machine's.",
    };
    const help = advice[code ?? ""];
    throw new CommandError(help === undefined ? message : `${message}\n${help}`, undefined, cause);
  }
}

interface StopReason {
  readonly name: string;
  /** What went wrong; undefined for a signal. */
  readonly cause?: string;
}

/** Waits for what stops the server. A second signal ends the process at once. */
function stopReason(hungUp: () => void): Promise<StopReason> {
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
  // The alarm, not the error handling: nothing should ever arrive here, and nobody knows in what
  // state the process is when something does.
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (cause: unknown) => {
      resolve({
        name,
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      });
    });
  }
  return promise;
}
