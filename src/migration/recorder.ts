import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { type Exchange, type RecordedBody, toRecordedBody } from "./exchange.ts";
import {
  type Handle,
  passOn,
  readBody,
  respondError,
  type Upstream,
  type UpstreamError,
} from "./http.ts";
import type { Recognize, Recognized, RequestHead } from "./recognize.ts";

/** Longest body of a request that is recorded, in bytes; the largest known call has less than 2 KiB. */
const requestBytesMax = 65_536;
/** Longest body of a response that is recorded, in bytes. */
const responseBytesMax = 4_194_304;

/** What a recorder works with. */
export interface RecorderDeps {
  readonly upstream: Upstream;
  readonly recognize: Recognize;
  /** Gets each exchange with a service, with its secrets, once the caller has the response. */
  readonly take: (exchange: Exchange) => void;
  /** Called once, when the old server asks for a log-in that is bound to a connection. */
  readonly onConnectionLogIn: () => void;
}

/** What went through a recorder. */
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
    let body: Buffer | Readable = request;
    if (recognize(head) !== undefined) {
      try {
        body = await readBody(request, requestBytesMax);
      } catch {
        // The caller is gone before its request was complete.
        return;
      }
    }
    const call = Buffer.isBuffer(body) ? recognize(head, body) : undefined;
    const collected = new CollectedBody();
    let response: IncomingMessage | undefined;
    let error: UpstreamError | undefined;
    try {
      response = await upstream.send(head, body, signal);
      this.#noticeLogIn(response);
      await passOn(response, downstream, signal, call && ((chunk) => collected.add(chunk)));
    } catch (cause) {
      error = upstream.toError(cause);
      if (!downstream.headersSent) respondError(downstream, error);
    }
    this.#forwarded += 1;
    if (error !== undefined && !signal.aborted) this.#failed += 1;
    if (call === undefined || !Buffer.isBuffer(body)) return;
    this.#record({
      ...{ v: 1, at, ms: Math.round((performance.now() - startedMs) * 1_000) / 1_000, ...call },
      request: { ...head, body: toRecordedBody(body) },
      response: response === undefined ? null : toResponse(response, collected.toBody()),
      ...(error && { error: signal.aborted ? "The caller closed the connection." : error.message }),
    });
  };

  /** What went through so far. */
  summarize(): RecorderCounts {
    return { forwarded: this.#forwarded, failed: this.#failed, calls: [...this.#calls.values()] };
  }

  #record(exchange: Exchange): void {
    this.#deps.take(exchange);
    const { service, operation, binding } = exchange;
    const key = `${service} ${operation} ${binding}`;
    const counted = this.#calls.get(key);
    if (counted !== undefined) counted.count += 1;
    else this.#calls.set(key, { service: service ?? "", operation, binding, count: 1 });
  }

  #noticeLogIn({ statusCode, rawHeaders: headers }: IncomingMessage): void {
    if (this.#hasWarned || statusCode !== 401) return;
    const isBound = headers.some(
      (text, i) =>
        i % 2 === 1 &&
        /^www-auth/i.test(headers[i - 1] ?? "") &&
        /^(?:NTLM|Negotiate)\b/i.test(text),
    );
    if (!isBound) return;
    this.#hasWarned = true;
    this.#deps.onConnectionLogIn();
  }
}

/** The bytes of a response, as far as they are recorded. */
class CollectedBody {
  #chunks: Buffer[] = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= responseBytesMax) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  toBody(): RecordedBody {
    if (this.#bytes <= responseBytesMax) return toRecordedBody(Buffer.concat(this.#chunks));
    return { omitted: "it is longer than 4 MiB", bytes: this.#bytes };
  }
}

function toResponse(response: IncomingMessage, body: RecordedBody): Exchange["response"] {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders: headers } = response;
  return { status, statusText, headers, body };
}
