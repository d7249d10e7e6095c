import { execFile } from "node:child_process";
import { flushCompileCache } from "node:module";
import { type Log, openConfiguredLog } from "@wfh/server/server/log.ts";
import { isStartAwaited, takeSocketCount } from "@wfh/server/server/settings/config.ts";
import type { SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { becomeServerUser } from "../../io/server-user.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";
import type { ServerStarted } from "./run-server.ts";

/** Options of `wfh serve`. */
export interface ServeOptions extends Pick<SharedOptions, "config"> {
  /** Values that take the place of settings, as they would be written there. */
  readonly port?: string;
  readonly host?: string;
  readonly dataDir?: string;
  /** Checks what a start needs, and ends. */
  readonly check?: boolean;
}

/**
 * Runs the server until a signal or an error stops it. Resolves to the exit code: `done` after a
 * clean end, `failed` when connections had to be cut or a bug ended it.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  process.title = "wfh serve";
  becomeServerUser(options.config, []);
  const socket = takeSocket();
  const { port, host, dataDir } = options;
  const config = readSettings(options.config, terminal, {
    WFH_PORT: port,
    WFH_HOST: host,
    WFH_DATA_DIR: dataDir,
  });
  if (options.check) {
    const { checkStart } = await import("./check-start.ts");
    return checkStart(config, terminal);
  }
  const log = openConfiguredLog(config);
  const onListening = async ({ url, adminUrl, facts }: ServerStarted) => {
    log.info({ url, adminUrl, postalCodes: facts.postalCodeCount }, "listening");
    if (isStartAwaited()) reportReady(log);
    setTimeout(flushCompileCache, compiledMs).unref();
    if (!process.stderr.isTTY) return;
    const { renderBanner } = await import("./banner.ts");
    terminal.err(renderBanner({ url, adminUrl }, config, facts));
  };
  const { runServer } = await import("./run-server.ts");
  return runServer(config, log, onListening, socket);
}

/** Tells systemd that look-ups are served, by its program: Node.js has no sockets for that. */
function reportReady(log: Log): void {
  execFile("systemd-notify", ["--ready"], (cause) => {
    if (cause !== null) log.error({ cause: cause.message }, "systemd-notify has failed");
  });
}

/** Time after the start at which compiled code is kept for the next one, in milliseconds. */
const compiledMs = 5_000;

/** First descriptor that systemd passes on. */
const firstDescriptor = 3;

/** Descriptor of the listening socket that systemd has opened; undefined without one. */
function takeSocket(): number | undefined {
  const count = takeSocketCount();
  if (count <= 1) return count === 1 ? firstDescriptor : undefined;
  throw new CommandError(
    `The server was given ${count} sockets (LISTEN_FDS), and listens on one. Leave one ListenStream= in the socket unit.`,
    exitCodes.usage,
  );
}
