import type { IncomingMessage } from "node:http";
import { type Exchange, toRecordedBody } from "./exchange.ts";
import { type Handle, passOn, readBodyUpTo, respondError } from "./listener.ts";
import type { Recognize, Recognized, RequestHead } from "./recognize.ts";
import { hasConnectionLogIn, type Upstream, type UpstreamError } from "./upstream.ts";

/** Longest request body that is recorded, in bytes; the largest known call has under 2 KiB. */
const requestBytesMax = 65_536;
/** Longest body of a response that is recorded, in bytes. */
const responseBytesMax = 4_194_304;

/** Collaborators of a recorder. */
export interface RecorderDeps {
  readonly upstream: Upstream;
  readonly recognize: Recognize;
  /** Gets each exchange with a service, with its secrets, once the caller has the response. */
  readonly take: (exchange: Exchange) => void;
  /** Called once, when the old server asks for a log-in that is bound to a connection. */
  readonly onConnectionLogIn: () => void;
}

/** Counts of a recorder. */
export interface RecorderCounts {
  /** Requests in all, to services or not. */
  readonly forwarded: number;
  /** Those whose response did not come, or broke off. */
  readonly failed: number;
  /** Requests to services by service, operation and binding. */
  readonly calls: readonly (Recognized & { readonly count: number })[];
}

/** Passes everything on to an old server as it comes, and records what goes to services. */
export class Recorder {
  #forwarded = 0;
  #failed = 0;
  readonly #calls = new Map<string, Recognized & { count: number }>();
  readonly #deps: RecorderDeps;
  #hasWarned = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  readonly handle: Handle = async (request, downstream, signal) => {
    const { upstream, recognize } = this.#deps;
    const startedMs = performance.now();
    const at = new Date().toISOString();
    const { method = "", url: target = "", rawHeaders: headers } = request;
    const head: RequestHead = { method, target, headers };
    const isRead = recognize(head) !== undefined;
    const reading = isRead ? readBodyUpTo(request, requestBytesMax) : request;
    const body = await Promise.resolve(reading).catch(() => undefined);
    // The caller is gone before its request was complete.
    if (body === undefined) return;
    const call = Buffer.isBuffer(body) ? recognize(head, body) : undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const collect = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= responseBytesMax) chunks.push(chunk);
    };
    let response: IncomingMessage | undefined;
    let error: UpstreamError | undefined;
    try {
      response = await upstream.send(head, body, signal);
      this.#noticeLogIn(response);
      await passOn(response, downstream, signal, call && collect);
    } catch (cause) {
      error = upstream.toError(cause);
      if (!downstream.headersSent) respondError(downstream, error);
    }
    this.#forwarded += 1;
    if (error !== undefined && !signal.aborted) this.#failed += 1;
    if (call === undefined || !Buffer.isBuffer(body)) return;
    this.#count(call);
    this.#deps.take({
      v: 1,
      at,
      ms: Math.round((performance.now() - startedMs) * 1_000) / 1_000,
      ...call,
      request: { ...head, body: toRecordedBody(body) },
      response: response === undefined ? null : toResponse(response, chunks, bytes),
      ...(error && { error: signal.aborted ? "The caller closed the connection." : error.message }),
    });
  };

  /** Counts so far. */
  summarize(): RecorderCounts {
    return { forwarded: this.#forwarded, failed: this.#failed, calls: [...this.#calls.values()] };
  }

  #count(call: Recognized): void {
    const key = Object.values(call).join(" ");
    const counted = this.#calls.get(key) ?? { ...call, count: 0 };
    counted.count += 1;
    this.#calls.set(key, counted);
  }

  #noticeLogIn({ statusCode, rawHeaders: headers }: IncomingMessage): void {
    if (this.#hasWarned || statusCode !== 401) return;
    if (!hasConnectionLogIn(headers, "www-authenticate")) return;
    this.#hasWarned = true;
    this.#deps.onConnectionLogIn();
  }
}

function toResponse(
  { statusCode: status = 0, statusMessage: statusText = "", rawHeaders: headers }: IncomingMessage,
  chunks: readonly Buffer[],
  bytes: number,
): Exchange["response"] {
  const body =
    bytes <= responseBytesMax
      ? toRecordedBody(Buffer.concat(chunks))
      : { omitted: "it is longer than 4 MiB", bytes };
  return { status, statusText, headers, body };
}
