import { once } from "node:events";
import { getSystemErrorMessage } from "node:util";
import { CommandError, exitCodes } from "@wfh/cli/io/exit-codes.ts";
import { notAllowed } from "@wfh/cli/io/options.ts";
import { Progress } from "@wfh/cli/io/progress.ts";
import { interruptible, type Terminal } from "@wfh/cli/io/terminal.ts";
import { isSystemError } from "@wfh/server/lib/file-error.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Exchange } from "../../exchange.ts";
import { type ListenAddress, openListener } from "../../listener.ts";
import { Recorder, type RecorderCounts } from "../../recorder.ts";
import { Upstream } from "../../upstream.ts";
import { compileServices } from "./configured-services.ts";

/** Reads the address of a server: scheme, host and port, since paths stay as callers send them. */
export function parseServer(name: string, text: string): URL {
  const url = URL.parse(text);
  const isServer =
    url !== null && /^https?:$/.test(url.protocol) && url.origin === url.href.replace(/\/$/, "");
  if (isServer) return url;
  // Not shown: it may contain a password.
  throw notAllowed(
    name,
    url === null ? "…" : `${url.origin}${url.pathname}`,
    "scheme, host and port without a path, such as http://old.example.com",
  );
}

/** Reads where to listen, such as `127.0.0.1:8090`. */
export function parseListen(name: string, text: string): ListenAddress {
  const [, host = "", digits] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== "" && port <= 65_535) return { host: host.replace(/^\[|\]$/g, ""), port };
  throw notAllowed(name, text, "host and port, such as 127.0.0.1:8090; port 0 is a free one");
}

/** Calls that are passed on. */
interface PassOnOptions {
  readonly listen: ListenAddress;
  /** The old server. */
  readonly to: URL;
  /** Host that it gets in place of the caller's. */
  readonly host?: string | undefined;
  /** Longest wait for it, in seconds. */
  readonly timeout: number;
  readonly progress: ConstructorParameters<typeof Progress>[1];
  /** A further sentence for the first line, behind a blank. */
  readonly note?: string;
  /** Gets each exchange with a service, with its secrets, once the caller has the response. */
  readonly take: (exchange: Exchange) => void;
}

/**
 * Passes calls on to the old server until Ctrl+C or SIGTERM.
 *
 * @throws {CommandError} when it cannot listen.
 */
export async function passOnCalls(
  options: PassOnOptions,
  config: Config,
  terminal: Terminal,
): Promise<RecorderCounts> {
  const { to, host, timeout, take, note = "" } = options;
  const upstream = new Upstream({
    name: "The old server",
    url: to,
    host,
    silenceMs: timeout * 1_000,
  });
  const progress = new Progress(terminal, options.progress);
  let taken = 0;
  const recorder = new Recorder({
    recognize: compileServices(config).recognize,
    upstream,
    take: (exchange) => {
      take(exchange);
      taken += 1;
      progress.update(taken);
    },
    onConnectionLogIn: () =>
      terminal.err(
        "Warning: The old server asks for NTLM or Negotiate (Kerberos), which cannot be passed on. Allow anonymous access for the services.\n",
      ),
  });
  await interruptible(terminal, "Interrupted.", async (signal) => {
    try {
      const listener = await startListener(options.listen, recorder);
      terminal.err(
        `Passing calls on from ${listener.url} to ${to.origin}.${note} Ctrl+C ends it.\n`,
      );
      if (!signal.aborted) await once(signal, "abort");
      await listener.close(config.drainMs);
    } finally {
      progress.close();
      upstream.close();
    }
  });
  return recorder.summarize();
}

async function startListener(address: ListenAddress, { handle }: Recorder) {
  try {
    return await openListener(address, handle);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    const { host, port } = address;
    throw new CommandError(
      `Cannot listen at ${host}, port ${port}: ${getSystemErrorMessage(Number(cause.errno))}.\nName another address (--listen), or stop what listens there.`,
      exitCodes.failed,
      cause,
    );
  }
}
