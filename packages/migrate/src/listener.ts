import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { headerOf, listValues } from "@wfh/server/bindings/http.ts";
import { drain } from "@wfh/server/lib/drain.ts";
import { startTimer } from "@wfh/server/lib/timer.ts";
import { headBytesMax, toEndToEnd } from "./upstream.ts";

/** Time that callers keep a connection without a request, in milliseconds: that of IIS. */
const keepAliveMs = 120_000;
/** Time for a whole request, in milliseconds: uploads to other paths take long. */
const requestMs = 3_600_000;
/** Time for requests under way when a listener closes, in milliseconds. */
const closeMs = 10_000;

const serverOptions = {
  maxHeaderSize: headBytesMax,
  requireHostHeader: false,
  keepAliveTimeout: keepAliveMs,
  requestTimeout: requestMs,
};

/** Handles one request; the signal is aborted when its caller is gone. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
) => Promise<void>;

/** Where to listen; port 0 is a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A listener that is open. */
export interface OpenListener {
  /** Such as `http://127.0.0.1:8090`. */
  readonly url: string;
  /**
   * Drains it as a server (decision 0068), and takes no more connections. Resolves when all
   * requests are handled; after 10 seconds their connections are closed.
   *
   * @param drainMs length of each step of the drain; 0, the default, skips it.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Listens for requests as they come, without any rules of its own.
 *
 * @throws {Error} of the operating system when it cannot listen there.
 */
export async function openListener(
  { host, port }: ListenAddress,
  handle: Handle,
): Promise<OpenListener> {
  const underWay = new Set<ServerResponse>();
  const handling = new Set<Promise<void>>();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.on("close", () => {
      underWay.delete(response);
      if (!response.writableFinished) gone.abort();
    });
    // A caller that breaks off is no error of ours.
    request.on("error", () => {});
    response.on("error", () => {});
    const start = () => {
      underWay.add(response);
      const handled = handle(request, response, gone.signal).finally(() =>
        handling.delete(handled),
      );
      handling.add(handled);
    };
    // Node.js drops what follows an Upgrade in the same piece.
    const isUpgrade = request.headers.upgrade !== undefined;
    const isKnown = hasKnownCoding(request.rawHeaders);
    if (isUpgrade || !server.listening || !isKnown) response.shouldKeepAlive = false;
    if (!isKnown) return respondError(response, unknownCoding);
    // Pipelined requests are done in order, since they may change something (RFC 9112 §9.3.2).
    if (response.socket === null) response.once("socket", start);
    else start();
  };
  const server = createServer(serverOptions, onRequest);
  // What else callers expect is for the old server to refuse.
  server.on("checkExpectation", onRequest);
  server.maxHeadersCount = 0;
  await once(server.listen(port, host), "listening");
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    close: async (drainMs = 0) => {
      const closed = once(server, "close");
      if (drainMs > 0) await drain([server], drainMs, startTimer);
      server.close();
      // A caller that keeps its connection would send on, and be cut off within a request.
      for (const response of underWay) response.shouldKeepAlive = false;
      const late = setTimeout(() => server.closeAllConnections(), closeMs);
      await closed;
      clearTimeout(late);
      // A call whose connection is closed is still recorded.
      await Promise.allSettled(handling);
    },
  };
}

const unknownCoding = {
  status: 400,
  message: "The only Transfer-Encoding that is passed on is one chunked.",
};

/** True when all readers agree on a body's end: Transfer-Encoding absent or chunked (RFC 9112). */
function hasKnownCoding(headers: readonly string[]): boolean {
  return /^(?:chunked)?$/i.test(listValues({ headers }, "transfer-encoding").join());
}

/**
 * Passes a response on as it came: status, status text, headers, framing and body; but for the
 * connection's own headers. One that breaks off does so here too, after all that came.
 *
 * @param tap gets each piece of the body.
 * @throws {Error} when it broke off, or the caller is gone; where `downstream.headersSent` is
 *   false, nothing was passed on.
 */
export async function passOn(
  response: IncomingMessage,
  downstream: ServerResponse,
  signal: AbortSignal,
  tap?: (chunk: Buffer) => void,
): Promise<void> {
  // Node.js adds none of these by itself then.
  for (const name of ["Date", "Transfer-Encoding", "Content-Length"]) downstream.removeHeader(name);
  const status = response.statusCode ?? 502;
  const { headers, isFramed } = toFramed(response.rawHeaders, downstream.req.httpVersion);
  const hasBody = downstream.req.method !== "HEAD" && ![204, 304].includes(status);
  // Only the end of the connection tells where such a body ends.
  if (hasBody && !isFramed) downstream.shouldKeepAlive = false;
  try {
    downstream.writeHead(status, response.statusMessage, headers);
    // What came in one piece, as most do, is sent in one.
    if (response.complete) {
      const whole: Buffer = response.read() ?? Buffer.alloc(0);
      tap?.(whole);
      downstream.end(whole);
      return;
    }
    // Sends the head now. flushHeaders() would write header bytes beyond ASCII as UTF-8.
    downstream.write(Buffer.alloc(0));
    for await (const chunk of response as AsyncIterable<Buffer>) {
      tap?.(chunk);
      if (!downstream.write(chunk)) await once(downstream, "drain", { signal });
    }
    downstream.end();
  } catch (cause) {
    response.destroy();
    // Unlike destroy(), what has been written is still sent.
    if (downstream.headersSent) downstream.socket?.destroySoon();
    throw cause;
  }
}

/** Headers for a caller, and whether they tell where a body ends; HTTP/1.0 has no chunks. */
function toFramed(rawHeaders: readonly string[], version: string) {
  const headers = toEndToEnd(rawHeaders);
  const has = (name: string) => headerOf({ headers }, name) !== undefined;
  if (!has("transfer-encoding")) return { headers, isFramed: has("content-length") };
  const isOld = version === "1.0";
  const wrong = isOld ? /^(?:content-length|transfer-encoding)$/i : /^content-length$/i;
  return {
    headers: headers.filter((_, i) => !wrong.test(headers[i - (i % 2)] ?? "")),
    isFramed: !isOld && hasKnownCoding(headers),
  };
}

/** Tells the caller why there is no response. */
export function respondError(
  downstream: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  const body = `${message}\n`;
  // That of the old server may be what could not be written.
  downstream.writeHead(status, STATUS_CODES[status], {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  downstream.end(body);
}

/**
 * Reads a body into memory.
 *
 * @returns its bytes; or a stream of all of it where it is longer than `bytesMax`.
 * @throws {Error} when the caller breaks off.
 */
export async function readBodyUpTo(
  message: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | Readable> {
  const chunks: Buffer[] = [];
  let length = 0;
  const rest = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length > bytesMax) return Readable.from(join(chunks, rest), { objectMode: false });
  }
  return Buffer.concat(chunks, length);
}

async function* join(chunks: readonly Buffer[], rest: AsyncIterator<Buffer>) {
  yield* chunks;
  yield* { [Symbol.asyncIterator]: () => rest };
}
