import { headerOf } from "../../bindings/http.ts";
import type { Operation, ServiceContract } from "../../contract/operation.ts";
import { messageOf } from "../../lib/file-error.ts";
import { bytesOf, type Exchange } from "../exchange.ts";
import { readBody, type Upstream } from "../http.ts";
import { redacted } from "../redact.ts";
import type { Comparison } from "./comparison.ts";
import type { WholeResponse } from "./response.ts";

/** Requests that are under way at this server at the same time. */
const inFlightMax = 16;
/** Longest response that is compared, in bytes. */
const responseBytesMax = 4_194_304;
/** Most bytes of exchanges that wait for this server. */
const waitingBytesMax = 67_108_864;
/** Time at the end for what still waits, in milliseconds. */
const closeMs = 2_000;
const tooSlow = "this server was too slow";
/** Memory of an exchange beside its bodies, in bytes. */
const exchangeBytes = 4_096;

/** What is compared, and with whom. */
export interface CompareDeps {
  readonly ours: Upstream;
  readonly comparison: Comparison;
  readonly services: readonly ServiceContract[];
  /** Also sends what changes something at our server, or logs in there. */
  readonly withSideEffects: boolean;
  /** True where exchanges still have their passwords and cookies. */
  readonly isLive: boolean;
}

/** Why an exchange is not compared; undefined where it is. */
function reasonToSkip(exchange: Exchange, deps: Omit<CompareDeps, "ours" | "comparison">) {
  const { response, request, error, operation } = exchange;
  const { services, withSideEffects, isLive } = deps;
  if (response === null || error !== undefined) return "the old response is missing or incomplete";
  if ("omitted" in response.body || "omitted" in request.body) {
    return `a body is not recorded: ${"omitted" in request.body ? request.body.omitted : "omitted" in response.body && response.body.omitted}`;
  }
  const operations = services.flatMap((one) => Object.entries<Operation>(one.operations));
  const { credentials, effect } = operations.find(([name]) => name === operation)?.[1] ?? {};
  if (credentials && !isLive)
    return "a recording has no passwords and cookies: compare log-ins live";
  const isUnknown = operation === null && !/^(?:GET|HEAD|OPTIONS)$/.test(request.method);
  if (withSideEffects || !(credentials || effect || (isLive && isUnknown))) return undefined;
  return "it has side effects: --with-side-effects sends it to this server";
}

/** Sends the request of an exchange to a server; resolves to an error where no response comes. */
export async function ask(
  upstream: Upstream,
  { request }: Pick<Exchange, "request">,
  signal?: AbortSignal,
): Promise<WholeResponse | Error> {
  const { method, target } = request;
  const body = bytesOf(request.body) ?? Buffer.alloc(0);
  const headers = request.headers.filter(
    (_, i, { [i - (i % 2)]: name = "", [i - (i % 2) + 1]: value }) =>
      value !== redacted && !/^(?:content-length|transfer-encoding|expect)$/i.test(name),
  );
  // A call of HTTP/1.0 may have had none.
  if (headerOf({ headers }, "host") === undefined) headers.push("Host", "localhost");
  if (body.length > 0) headers.push("Content-Length", String(body.length));
  try {
    const response = await upstream.send({ method, target, headers }, body, signal);
    const bytes = await readBody(response, responseBytesMax);
    if (!Buffer.isBuffer(bytes)) {
      bytes.destroy();
      return new Error("The response is longer than 4 MiB.");
    }
    return { status: response.statusCode ?? 0, headers: response.rawHeaders, body: bytes };
  } catch (cause) {
    return upstream.toError(cause);
  }
}

/** Compares all exchanges of a recording, in their order; several requests are under way at the same time. */
export async function replay(exchanges: AsyncIterable<Exchange>, deps: CompareDeps): Promise<void> {
  const { comparison, ours } = deps;
  const asked: { readonly exchange: Exchange; readonly response: ReturnType<typeof ask> }[] = [];
  const compareNext = async () => {
    const next = asked.shift();
    if (next !== undefined) comparison.add(next.exchange, await next.response);
  };
  for await (const exchange of exchanges) {
    const reason = reasonToSkip(exchange, deps);
    if (reason !== undefined) {
      comparison.skip(exchange, reason);
      continue;
    }
    asked.push({ exchange, response: ask(ours, exchange) });
    if (asked.length >= inFlightMax) await compareNext();
  }
  while (asked.length > 0) await compareNext();
}

/** Compares exchanges as they happen. Callers never wait for it: what is too much is counted and not compared. */
export class LiveComparison {
  readonly #deps: CompareDeps;
  readonly #waiting: Exchange[] = [];
  readonly #workers = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #waitingBytes = 0;

  constructor(deps: CompareDeps) {
    this.#deps = deps;
  }

  /** Takes an exchange whose caller has the old response. */
  add(exchange: Exchange): void {
    const isFull = this.#waitingBytes > waitingBytesMax;
    const reason = reasonToSkip(exchange, this.#deps) ?? (isFull ? tooSlow : undefined);
    if (reason !== undefined) {
      this.#deps.comparison.skip(exchange, reason);
      return;
    }
    this.#waiting.push(exchange);
    this.#waitingBytes += sizeOf(exchange);
    if (this.#workers.size >= inFlightMax) return;
    const worker = this.#work().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Compares what waits, for at most two seconds. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.#stop.abort(), closeMs);
    await Promise.all(this.#workers);
    clearTimeout(late);
  }

  async #work(): Promise<void> {
    const { ours, comparison } = this.#deps;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const response = await ask(ours, next, this.#stop.signal);
      try {
        if (this.#stop.signal.aborted) comparison.skip(next, tooSlow);
        else comparison.add(next, response);
      } catch (cause) {
        // Callers of the old server depend on this process.
        comparison.skip(next, `it cannot be compared: ${messageOf(cause)}`);
      }
      this.#waitingBytes -= sizeOf(next);
    }
  }
}

function sizeOf({ request, response }: Exchange): number {
  const bodies = [request.body, response?.body].map((body) => {
    if (body === undefined || "omitted" in body) return 0;
    return "text" in body ? body.text.length : body.base64.length;
  });
  return bodies.reduce((sum, bytes) => sum + bytes, exchangeBytes);
}
