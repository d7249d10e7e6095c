import { getSystemErrorMessage } from "node:util";
import { isSystemError } from "../../../lib/file-error.ts";
import {
  type Handle,
  type ListenAddress,
  listen,
  type OpenListener,
} from "../../../migration/listener.ts";
import { Upstream } from "../../../migration/upstream.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { notAllowed } from "../../io/options.ts";

/** Time for a server to respond before a command begins, in milliseconds. */
const checkMs = 5_000;

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

/**
 * Listens for requests.
 *
 * @throws {CommandError} when it cannot listen there.
 */
export async function startListener(address: ListenAddress, handle: Handle): Promise<OpenListener> {
  try {
    return await listen(address, handle);
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

/** Asks the old server once. Warns where it does not respond; it may be started later. */
export async function checkOldServer(
  url: URL,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const upstream = new Upstream({ name: "The old server", url, silenceMs: checkMs });
  // The first page of an old site may take long, and a file that may be missing does not.
  const head = { method: "GET", target: "/favicon.ico", headers: ["Host", url.host] };
  try {
    (await upstream.send(head, Buffer.alloc(0), signal)).resume();
  } catch (cause) {
    if (!signal.aborted) warn(upstream.toError(cause).message);
  } finally {
    upstream.close();
  }
}
