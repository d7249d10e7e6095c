import { Readable } from "node:stream";
import { headerOf } from "@wfh/server/bindings/http.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { bytesOf, type Exchange, type RecordedBody } from "../exchange.ts";
import type { RequestHead } from "../recognize.ts";
import { redacted } from "../redact-exchange.ts";
import { operations } from "../services.ts";
import type { Upstream } from "../upstream.ts";
import type { ComparisonTally } from "./comparison-tally.ts";

/** Requests that are under way at this server at the same time. */
const inFlightMax = 16;
/** Most bytes of exchanges that wait for this server. */
const waitingBytesMax = 67_108_864;
/** Time at the end for what still waits, in milliseconds. */
const closeMs = 2_000;
const tooSlow = "this server was too slow";
/** Memory of an exchange beside its bodies, in bytes. */
const exchangeBytes = 4_096;

/** Settings and collaborators of a comparison. */
export interface CompareDeps {
  /** Our server. */
  readonly server: Pick<Upstream, "fetch">;
  readonly comparison: ComparisonTally;
  /** Also sends what changes something at our server, or logs in there. */
  readonly withSideEffects: boolean;
  /** True where exchanges still have their passwords and cookies. */
  readonly isLive: boolean;
  /** Ends requests that are under way, and sends no others. */
  readonly signal?: AbortSignal;
  /** Called for each exchange once it is counted. */
  readonly onCounted?: (exchange: Exchange) => void;
}

/** Why an exchange is not compared; undefined where it is. */
function reasonToSkip(exchange: Exchange, { withSideEffects, isLive }: CompareDeps) {
  const { response, request, error, operation } = exchange;
  if (response === null || error !== undefined) return "the old response is missing or incomplete";
  for (const body of [request.body, response.body]) {
    if ("omitted" in body) return `a body is not recorded: ${body.omitted}`;
  }
  const { credentials, effect } = operations[operation ?? ""] ?? {};
  if (credentials && !isLive) {
    return "a recording has no passwords and cookies: compare log-ins live";
  }
  const isUnknown = operation === null && !/^(?:GET|HEAD|OPTIONS)$/.test(request.method);
  if (withSideEffects || !(credentials || effect || (isLive && isUnknown))) return undefined;
  return "it has side effects: --with-side-effects sends it to this server";
}

/** The request of an exchange as it can be sent again: without secrets that were taken out. */
export function replayableRequestOf({ request }: Pick<Exchange, "request">): {
  readonly head: RequestHead;
  readonly body: Buffer;
} {
  const { method, target } = request;
  const body = bytesOf(request.body) ?? Buffer.alloc(0);
  const headers: string[] = [];
  for (let i = 0; i < request.headers.length; i += 2) {
    const [name = "", value = ""] = request.headers.slice(i, i + 2);
    const isFraming = /^(?:content-length|transfer-encoding|expect)$/i.test(name);
    if (!isFraming && !value.includes(redacted)) headers.push(name, value);
  }
  // A call of HTTP/1.0 may have had none.
  if (headerOf({ headers }, "host") === undefined) headers.push("Host", "localhost");
  if (body.length > 0) headers.push("Content-Length", String(body.length));
  return { head: { method, target, headers }, body };
}

/** Compares all exchanges in their order; several requests are under way at the same time. */
export async function replay(exchanges: AsyncIterable<Exchange>, deps: CompareDeps): Promise<void> {
  const { comparison, server, signal, onCounted } = deps;
  const asked: {
    readonly exchange: Exchange;
    readonly response: ReturnType<Upstream["fetch"]>;
  }[] = [];
  const countNext = async () => {
    const { exchange, response } = asked.shift() ?? {};
    if (exchange === undefined || response === undefined) return;
    const ours = await response;
    try {
      if (signal?.aborted) comparison.skip(exchange, tooSlow);
      else comparison.add(exchange, ours);
    } catch (cause) {
      // Live, callers of the old server depend on this process.
      comparison.add(exchange, new Error(`it cannot be compared: ${messageOf(cause)}`));
    }
    onCounted?.(exchange);
  };
  for await (const exchange of exchanges) {
    const reason = signal?.aborted ? tooSlow : reasonToSkip(exchange, deps);
    if (reason === undefined) {
      const { head, body } = replayableRequestOf(exchange);
      asked.push({ exchange, response: server.fetch(head, body, signal) });
    } else {
      comparison.skip(exchange, reason);
      onCounted?.(exchange);
    }
    if (asked.length >= inFlightMax) await countNext();
  }
  while (asked.length > 0) await countNext();
}

/** Compares exchanges as they happen. Callers never wait: the surplus is only counted. */
export class LiveComparison {
  readonly #comparison: ComparisonTally;
  readonly #waiting = new Readable({ objectMode: true, read: () => {} });
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #waitingBytes = 0;

  constructor(deps: CompareDeps) {
    this.#comparison = deps.comparison;
    const onCounted = (exchange: Exchange) => {
      this.#waitingBytes -= sizeOf(exchange);
    };
    this.#done = replay(this.#waiting, { ...deps, signal: this.#stop.signal, onCounted });
  }

  /** Takes an exchange whose caller has the old response. */
  add(exchange: Exchange): void {
    if (this.#waitingBytes > waitingBytesMax) this.#comparison.skip(exchange, tooSlow);
    else {
      this.#waitingBytes += sizeOf(exchange);
      this.#waiting.push(exchange);
    }
  }

  /** Compares what waits, for at most two seconds. */
  async close(): Promise<void> {
    this.#waiting.push(null);
    const late = setTimeout(() => this.#stop.abort(), closeMs);
    await this.#done;
    clearTimeout(late);
  }
}

/** Memory that an exchange takes, in bytes. */
function sizeOf({ request, response }: Exchange): number {
  return exchangeBytes + sizeOfBody(request.body) + (response ? sizeOfBody(response.body) : 0);
}

function sizeOfBody(body: RecordedBody): number {
  if ("omitted" in body) return 0;
  return "text" in body ? body.text.length : body.base64.length;
}
