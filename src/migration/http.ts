import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
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

  constructor(message: string, status: 502 | 504, cause?: unknown) {
    super(message, { cause });
    this.name = "UpstreamError";
    this.status = status;
  }
}

/** Headers that belong to one connection. */
const connectionHeaders = /^(?:connection|keep-alive|proxy-connection|upgrade|http2-settings)$/i;

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
    let isConnecting: NodeJS.Timeout | undefined;
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      isConnecting = setTimeout(fail, connectMs, this.#timeoutOf(connectMs, "connection"));
      socket.once("connect", () => clearTimeout(isConnecting));
    });
    request.on("timeout", () => fail(this.#timeoutOf(silenceMs, "response")));
    // After the head, an error is one of the response, which its reader gets.
    request.on("error", () => {});
    const isEmpty = !(body instanceof Readable) && body.length === 0;
    if (body instanceof Readable) pipeline(body, request, () => {});
    else request.end(body);
    try {
      const [response] = (await once(request, "response")) as [IncomingMessage];
      failing = response;
      return response;
    } catch (cause) {
      // The server closed a connection that was open from before, as it may; what only reads is sent again.
      const isStale = request.reusedSocket && signal?.aborted !== true;
      if (isStale && isEmpty && /^(?:GET|HEAD)$/.test(head.method)) {
        return this.send(head, body, signal);
      }
      throw this.toError(cause);
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

  #toHeaders({ method, headers: sent }: RequestHead): string[] {
    const { host } = this.#options;
    const headers: string[] = [];
    let hasLength = /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/i.test(method);
    for (let i = 0; i < sent.length; i += 2) {
      const [name = "", value = ""] = [sent[i], sent[i + 1]];
      if (connectionHeaders.test(name)) continue;
      headers.push(name, host !== undefined && name.toLowerCase() === "host" ? host : value);
      hasLength ||= /^(?:content-length|transfer-encoding)$/i.test(name);
    }
    // Node.js would announce chunks, which some servers refuse.
    if (!hasLength) headers.push("Content-Length", "0");
    return headers;
  }
}

/**
 * Passes a response on as it came: status, status text, headers, framing and body. A response that breaks off, breaks off
 * here too, after everything that came.
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
  // A caller that asked for it gets the end of its connection, whatever the old server says of its own.
  const { socket, shouldKeepAlive } = downstream;
  const endConnection = () => shouldKeepAlive || socket?.destroySoon();
  // Node.js adds none of these by itself then.
  for (const name of ["Connection", "Date", "Transfer-Encoding", "Content-Length"]) {
    downstream.removeHeader(name);
  }
  try {
    downstream.writeHead(response.statusCode ?? 502, response.statusMessage, response.rawHeaders);
    if (response.complete) {
      // It came in one piece, as most do, and is sent in one.
      const body: Buffer = response.read() ?? Buffer.alloc(0);
      if (body.length > 0) tap?.(body);
      downstream.end(body, endConnection);
      return;
    }
    // Sends the head now. flushHeaders() would write header bytes beyond ASCII as UTF-8.
    downstream.write(Buffer.alloc(0));
    for await (const chunk of response as AsyncIterable<Buffer>) {
      tap?.(chunk);
      if (!downstream.write(chunk)) await once(downstream, "drain", { signal });
    }
    downstream.end(endConnection);
  } catch (cause) {
    response.destroy();
    // Unlike destroy(), what has been written is still sent.
    if (downstream.headersSent) downstream.socket?.destroySoon();
    throw cause;
  }
}

/** Tells the caller why there is no response. */
export function respondError(downstream: ServerResponse, { status, message }: UpstreamError): void {
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
    void handle(request, response, gone.signal);
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
