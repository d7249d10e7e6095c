import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { headerOf, listValues } from "@wfh/server/bindings/http.ts";
import { describeConnectionError } from "@wfh/server/lib/connection-error.ts";
import type { WholeResponse } from "./compare/whole-response.ts";
import type { RequestHead } from "./recognize.ts";

/** Longest head of a message, in bytes: four times the limit of IIS. */
export const headBytesMax = 65_536;
/** Longest response that is read whole, in bytes. */
const wholeBytesMax = 4_194_304;
/** Longest pause of a connection, in milliseconds: shorter than that of old servers. */
const idleConnectionMs = 2_000;

/** Where requests are sent on to. */
export interface UpstreamOptions {
  /** Name in messages, such as `the old server`. */
  readonly name: string;
  /** Scheme, host and port; targets of requests are paths. */
  readonly url: URL;
  /** Sends this for the Host of the caller. */
  readonly host?: string | undefined;
  /** Longest silence before and within a response, in milliseconds; 0 for any. */
  readonly silenceMs: number;
}

/** No response, or not all of it. The message names the side, the cause and what to do. */
export class UpstreamError extends Error {
  /** For the caller: 502, or 504 where it took too long. */
  readonly status: 502 | 504;

  constructor(message: string, status: 502 | 504, cause?: unknown) {
    super(message, { cause });
    this.name = "UpstreamError";
    this.status = status;
  }
}

/**
 * Headers that belong to one connection, beside those that Connection names (RFC 9110 §7.6.1), and
 * Trailer: trailers are not passed on, and Node.js refuses to announce them without chunks.
 */
const connectionHeaders =
  /^(?:connection|keep-alive|proxy-connection|te|trailer|upgrade|http2-settings)$/;
/** Stays, whatever Connection names: without it a message would begin or end elsewhere. */
const framingHeaders = /^(?:host|content-length|transfer-encoding)$/;

/** Windows log-ins, which IIS takes as those of a connection and all its requests. */
const connectionLogIn = /^(?:NTLM|Negotiate)\b/i;

/** True for a header that asks for a Windows log-in, or has one. */
export function hasConnectionLogIn(headers: readonly string[], name: string): boolean {
  return listValues({ headers }, name).some((value) => connectionLogIn.test(value));
}

/** Headers without those of the connection that they came over. */
export function toEndToEnd(headers: readonly string[]): string[] {
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
   * Sends a request with its method, target, body and headers, but for the connection's own.
   *
   * @returns the response once its head has come; its body is to be read.
   * @throws {UpstreamError} when no head comes.
   */
  async send(
    head: RequestHead,
    body: Uint8Array | Readable,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const { name, url, silenceMs } = this.#options;
    // Over a connection that stays open, the next caller would be logged in as well.
    const isAlone = hasConnectionLogIn(head.headers, "authorization");
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)({
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      method: head.method,
      path: head.target,
      headers: this.#toHeaders(head),
      agent: isAlone ? false : this.#agent,
      setHost: false,
      // Old servers and scripts write headers that the strict parser refuses.
      insecureHTTPParser: true,
      maxHeaderSize: headBytesMax,
      timeout: silenceMs,
      ...(signal && { signal }),
    });
    let failing: ClientRequest | IncomingMessage = request;
    request.on("timeout", () => {
      const late = `${name} (${url.origin}): no response within ${silenceMs / 1_000} s. Check the server, or allow more time.`;
      failing.destroy(new UpstreamError(late, 504));
    });
    const responding = Promise.withResolvers<IncomingMessage>();
    // After the head, an error is one of the response, which its reader gets.
    request.on("response", responding.resolve).on("error", responding.reject);
    // An upgrade, which was not asked for, is neither.
    request.on("close", () => responding.reject(new Error("it sent no response")));
    const isEmpty = !hasBody(head);
    if (isEmpty) request.end();
    else if (body instanceof Readable) pipeUpload(body, request);
    else request.end(body);
    try {
      const response = await responding.promise;
      failing = response;
      return response;
    } catch (cause) {
      // The server closed a kept connection, as it may; what only reads is sent again.
      const isTimeout = cause instanceof UpstreamError;
      const isStale = request.reusedSocket && !isTimeout && signal?.aborted !== true;
      if (isStale && isEmpty && /^(?:GET|HEAD)$/.test(head.method)) {
        return this.send(head, body, signal);
      }
      failing.destroy();
      throw this.toError(cause);
    }
  }

  /** Exchanges a request as {@link send} does; returns why there is no response, or only a part. */
  async fetch(
    head: RequestHead,
    body: Uint8Array,
    signal?: AbortSignal,
  ): Promise<WholeResponse | UpstreamError> {
    try {
      const response = await this.send(head, body, signal);
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > wholeBytesMax) throw new RangeError("the response is longer than 4 MiB");
      }
      return {
        status: response.statusCode ?? 0,
        headers: response.rawHeaders,
        body: Buffer.concat(chunks),
      };
    } catch (cause) {
      return this.toError(cause);
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

/** Sends a body as it comes in. The rest is read when a server has responded before its end. */
function pipeUpload(body: Readable, request: ClientRequest): void {
  body.on("error", (cause) => request.destroy(cause));
  body.pipe(request).on("close", () => body.resume());
}

/** True for a request with a body, which may be a stream that cannot be sent again. */
function hasBody(head: RequestHead): boolean {
  const isChunked = headerOf(head, "transfer-encoding") !== undefined;
  return isChunked || Number(headerOf(head, "content-length") ?? 0) !== 0;
}
