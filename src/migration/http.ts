import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
  validateHeaderValue,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { headerOf, listValues } from "../bindings/http.ts";
import { describeConnectionError } from "./connection-error.ts";
import type { RequestHead } from "./recognize.ts";

/** Longest head of a message, in bytes: four times the limit of IIS. */
const headBytesMax = 65_536;
/** Time for a connection to the upstream, in milliseconds. */
const connectMs = 10_000;
/** A connection without a request is closed after so many milliseconds, before an old server closes it. */
const idleConnectionMs = 2_000;
/** Time that callers keep a connection without a request, in milliseconds: that of IIS. */
const keepAliveMs = 120_000;
/** Time for a whole request, in milliseconds: uploads to other paths take long. */
const requestMs = 3_600_000;
/** Time for requests under way when a listener closes, in milliseconds. */
const closeMs = 10_000;

/** Where requests are sent on to. */
export interface UpstreamOptions {
  /** What messages call it, such as `the old server`. */
  readonly name: string;
  /** Scheme, host and port; targets of requests are paths. */
  readonly url: URL;
  /** Sends this for the Host of the caller. */
  readonly host?: string | undefined;
  /** Longest silence before and within a response, in milliseconds. */
  readonly silenceMs: number;
}

/** No response, or not all of it. The message is a sentence that names the side, the cause and what to do. */
export class UpstreamError extends Error {
  /** For the caller: 502, or 504 where it took too long. */
  readonly status: 502 | 504;
  /** False where no connection was made, so that the server certainly did nothing. */
  isSent = true;

  constructor(message: string, status: 502 | 504, cause?: unknown) {
    super(message, { cause });
    this.name = "UpstreamError";
    this.status = status;
  }
}

/** Headers that belong to one connection, beside those that Connection names (RFC 9110 §7.6.1). */
const connectionHeaders = /^(?:connection|keep-alive|proxy-connection|te|upgrade|http2-settings)$/;
/** Stays, whatever Connection names: without it a message would begin or end elsewhere. */
const framingHeaders = /^(?:host|content-length|transfer-encoding)$/;

/** Headers without those of the connection that they came over. */
function toEndToEnd(headers: readonly string[]): string[] {
  const named = listValues({ headers }, "connection").map((name) => name.toLowerCase());
  return headers.filter((_, i) => {
    const name = headers[i - (i % 2)]?.toLowerCase() ?? "";
    return framingHeaders.test(name) || !(connectionHeaders.test(name) || named.includes(name));
  });
}

/** A server to which requests are sent on as they came, over connections that stay open. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const Agent = options.url.protocol === "https:" ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true, timeout: idleConnectionMs });
  }

  /**
   * Sends a request. Method, target, headers and body stay as they are, but for the headers of the connection itself.
   *
   * @returns the response once its head has come; its body is to be read.
   * @throws {UpstreamError} when no head comes.
   */
  async send(
    head: RequestHead,
    body: Uint8Array | Readable,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const { url, silenceMs } = this.#options;
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)({
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      method: head.method,
      path: head.target,
      headers: this.#toHeaders(head),
      agent: this.#agent,
      setHost: false,
      // Old servers and scripts write headers that the strict parser refuses.
      insecureHTTPParser: true,
      maxHeaderSize: headBytesMax,
      timeout: silenceMs,
      ...(signal && { signal }),
    });
    let failing: ClientRequest | IncomingMessage = request;
    const fail = (message: string) => failing.destroy(new UpstreamError(message, 504));
    let isConnected = false;
    let isConnecting: NodeJS.Timeout | undefined;
    request.on("socket", (socket) => {
      isConnected = request.reusedSocket;
      if (isConnected) return;
      isConnecting = setTimeout(fail, connectMs, this.#timeoutOf(connectMs, "connection"));
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        isConnected = true;
        clearTimeout(isConnecting);
      });
    });
    request.on("timeout", () => fail(this.#timeoutOf(silenceMs, "response")));
    const responding = Promise.withResolvers<IncomingMessage>();
    // After the head, an error is one of the response, which its reader gets.
    request.on("response", responding.resolve).on("error", responding.reject);
    // An upgrade, which was not asked for, is neither.
    request.on("close", () => responding.reject(new Error("it sent no response")));
    // Also for a stream: it could not be sent again.
    const isEmpty =
      headerOf(head, "transfer-encoding") === undefined &&
      Number(headerOf(head, "content-length") ?? 0) === 0;
    if (isEmpty) request.end();
    else if (body instanceof Readable) pipeline(body, request, () => {});
    else request.end(body);
    try {
      const response = await responding.promise;
      failing = response;
      requireWritable(response);
      return response;
    } catch (cause) {
      // The server closed a connection that was open from before, as it may; what only reads is sent again.
      const isTimeout = cause instanceof UpstreamError;
      const isStale = request.reusedSocket && !isTimeout && signal?.aborted !== true;
      if (isStale && isEmpty && /^(?:GET|HEAD)$/.test(head.method)) {
        return this.send(head, body, signal);
      }
      failing.destroy();
      const error = this.toError(cause);
      error.isSent = isConnected;
      throw error;
    } finally {
      clearTimeout(isConnecting);
    }
  }

  /** The error of a response that failed at any point. */
  toError(cause: unknown): UpstreamError {
    if (cause instanceof UpstreamError) return cause;
    const { name, url } = this.#options;
    return new UpstreamError(
      `${name} (${url.origin}): ${describeConnectionError(cause)}`,
      502,
      cause,
    );
  }

  /** Closes the connections that stay open. */
  close(): void {
    this.#agent.destroy();
  }

  #timeoutOf(ms: number, noun: string): string {
    const { name, url } = this.#options;
    return `${name} (${url.origin}): no ${noun} within ${ms / 1_000} s. Check the server, or allow more time.`;
  }

  #toHeaders(head: RequestHead): string[] {
    const { host } = this.#options;
    const isHost = (name = "") => name.toLowerCase() === "host";
    const headers = toEndToEnd(head.headers).map((text, i, all) =>
      i % 2 === 1 && isHost(all[i - 1]) ? (host ?? text) : text,
    );
    const hasLength = ["content-length", "transfer-encoding"].some(
      (name) => headerOf(head, name) !== undefined,
    );
    // Node.js would announce chunks, which some servers refuse.
    if (!hasLength && !/^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/i.test(head.method))
      headers.push("Content-Length", "0");
    return headers;
  }
}

/** Node.js reads more than it writes, such as control characters. */
function requireWritable({ statusCode = 0, statusMessage = "", rawHeaders }: IncomingMessage) {
  if (statusCode < 200) throw new RangeError(`its status is ${statusCode}`);
  for (const text of [statusMessage, ...rawHeaders]) validateHeaderValue("head", text);
}

/**
 * Passes a response on as it came: status, status text, headers, framing and body; but for the headers of the connection
 * itself. A response that breaks off, breaks off here too, after everything that came.
 *
 * @param tap gets each piece of the body.
 * @throws {Error} when it broke off, or the caller is gone; where `downstream.headersSent` is false, nothing was passed on.
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
    if (response.complete) {
      // It came in one piece, as most do, and is sent in one.
      const body: Buffer = response.read() ?? Buffer.alloc(0);
      if (body.length > 0) tap?.(body);
      downstream.end(body);
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

/** Headers for a caller, and whether they tell the length of a body. Chunks replace a length, but HTTP/1.0 has none (RFC 9112 §6). */
function toFramed(rawHeaders: readonly string[], version: string) {
  const headers = toEndToEnd(rawHeaders);
  const has = (name: string) => headerOf({ headers }, name) !== undefined;
  if (!has("transfer-encoding")) return { headers, isFramed: has("content-length") };
  const isFramed = version !== "1.0";
  const wrong = isFramed ? /^content-length$/i : /^(?:content-length|transfer-encoding)$/i;
  return { headers: headers.filter((_, i) => !wrong.test(headers[i - (i % 2)] ?? "")), isFramed };
}

/** Tells the caller why there is no response. */
export function respondError(
  downstream: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  const body = `${message}\n`;
  downstream.writeHead(status, {
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
export async function readBody(
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
  /** Takes no more connections; resolves when requests under way are done, or after 10 seconds. */
  close(): Promise<void>;
}

/**
 * Listens for requests as they come, without any rules of its own.
 *
 * @throws {Error} of the operating system when it cannot listen there.
 */
export async function listen({ host, port }: ListenAddress, handle: Handle): Promise<OpenListener> {
  const options = {
    ...{ maxHeaderSize: headBytesMax, requireHostHeader: false },
    ...{ keepAliveTimeout: keepAliveMs, requestTimeout: requestMs },
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    // A caller that breaks off is no error of ours.
    request.on("error", () => {});
    response.on("error", () => {});
    const start = () => void handle(request, response, gone.signal);
    // Node.js drops what follows an Upgrade in the same piece.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    // What a caller pipelines is done in its order, since it may change something (RFC 9112 §9.3.2).
    if (response.socket === null) response.once("socket", start);
    else start();
  };
  const server = createServer(options, onRequest);
  // What else callers expect is for the old server to refuse.
  server.on("checkExpectation", onRequest);
  server.maxHeadersCount = 0;
  await once(server.listen(port, host), "listening");
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      const late = setTimeout(() => server.closeAllConnections(), closeMs);
      await closed;
      clearTimeout(late);
    },
  };
}
