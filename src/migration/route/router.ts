import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type Handle, passOn, readBody, Upstream, type UpstreamError } from "../http.ts";
import type { Recognize, Recognized, RequestHead } from "../recognize.ts";
import { type BreakerState, CircuitBreaker, type Ending } from "./breaker.ts";
import { chooseSide, type Side } from "./choose-side.ts";
import { isReceiverFault, renderError } from "./fault-forms.ts";
import { operations, type Routes } from "./routes.ts";

/** Longest call, in bytes: what ASP.NET takes by default. Anything longer is left to the old server. */
const callBytesMax = 4 * 1_048_576;

/** One request to one side. */
export interface Attempt {
  readonly side: Side;
  /** Null where it is none of ours. */
  readonly operation: string | null;
  /** Until the response, in milliseconds; undefined where the circuit let nothing be sent. */
  readonly ms?: number;
  /** Undefined without a response. */
  readonly status?: number | undefined;
  /** Why there is no response, or not all of it. */
  readonly error?: string;
}

/** What happens to requests, for metrics and the log. */
export interface RouterEvents {
  onAttempt(attempt: Attempt): void;
  onFallback(operation: string): void;
  onBreaker(side: Side, state: BreakerState): void;
}

/** Routes as they are used. */
interface Active {
  readonly routes: Routes;
  readonly sides: Readonly<Record<Side, RoutedSide>>;
}

interface RoutedSide {
  readonly side: Side;
  /** What makes it another server when it changes. */
  readonly key: string;
  readonly upstream: Upstream;
  readonly breaker: CircuitBreaker;
}

/** A request on its way. */
interface Call {
  readonly head: RequestHead;
  readonly body: Buffer | Readable;
  readonly recognized: Recognized | undefined;
  readonly signal: AbortSignal;
}

interface Failure {
  readonly status: 502 | 503 | 504;
  /** For the caller: names the side, but not its address. */
  readonly message: string;
  /** Whether the side certainly did not carry out the call. */
  readonly isUndone: boolean;
  readonly retryAfterMs?: number;
}

interface Success {
  readonly response: IncomingMessage;
  /** Whether it says that the side could not serve the call. */
  readonly isFault: boolean;
  end(ending: Ending): void;
}

type Outcome = Failure | Success;

/** Sends each request to the side that the routes name (decision 0081). */
export class Router {
  readonly #recognize: Recognize;
  readonly #events: RouterEvents;
  #active: Active;

  constructor(routes: Routes, recognize: Recognize, events: RouterEvents) {
    this.#recognize = recognize;
    this.#events = events;
    this.#active = this.#activate(routes);
  }

  /** Uses other routes for requests that arrive from now on. */
  use(routes: Routes): void {
    this.#active = this.#activate(routes, this.#active.sides);
  }

  /** State of the circuit of each side. */
  get circuits(): Readonly<Record<Side, BreakerState>> {
    const { old, new: ours } = this.#active.sides;
    return { old: old.breaker.state, new: ours.breaker.state };
  }

  /** Responds to one request. */
  readonly handle: Handle = async (request, response, signal) => {
    const active = this.#active;
    try {
      const call = await readCall(this.#recognize, request, signal);
      const peer = request.socket.remoteAddress ?? "";
      await this.#respond(active, call, peer, response);
    } catch {
      // The caller is gone, or the response broke off; then it has been cut here too.
      if (!response.headersSent) response.destroy();
    }
  };

  async #respond(active: Active, call: Call, peer: string, response: ServerResponse) {
    const { recognized, signal, head } = call;
    const operation = recognized?.operation ?? null;
    const { side, fallback } = chooseSide(active.routes, operation, head, peer);
    const ours = { ...head, headers: [...head.headers, "X-Forwarded-For", peer] };
    const sent = side === "new" ? { ...call, head: ours } : call;
    let outcome = await this.#send(active.sides[side], sent, fallback);
    if (fallback && operation !== null && mayFallBack(outcome, operation)) {
      this.#events.onFallback(operation);
      outcome = preferSecond(outcome, await this.#send(active.sides.old, call, false));
    }
    if ("message" in outcome) return sendFailure(response, recognized, outcome);
    try {
      await passOn(outcome.response, response, signal);
      outcome.end("response");
    } catch (cause) {
      outcome.end(signal.aborted ? "aborted" : "no-response");
      throw cause;
    }
  }

  /** @param isWhole reads the whole response before it is passed on, so that another may still take its place. */
  async #send(
    { side, upstream, breaker }: RoutedSide,
    { head, body, recognized, signal }: Call,
    isWhole: boolean,
  ): Promise<Outcome> {
    const name = `The ${side} server`;
    const operation = recognized?.operation ?? null;
    const end = breaker.begin();
    if (end === undefined) {
      this.#events.onAttempt({ side, operation });
      const message = `${name} does not respond. Try again later.`;
      const retryAfterMs = breaker.retryAfterMs();
      return { status: 503, message, isUndone: true, retryAfterMs };
    }
    const startedMs = performance.now();
    const report = (found: Pick<Attempt, "status" | "error">) =>
      this.#events.onAttempt({ side, operation, ms: performance.now() - startedMs, ...found });
    try {
      const response = await upstream.send(head, body, signal);
      const outcome = isWhole ? await readWhole(response, end) : { response, isFault: false, end };
      report({ status: response.statusCode });
      return outcome;
    } catch (cause) {
      end(signal.aborted ? "aborted" : "no-response");
      if (signal.aborted) throw cause;
      const error = upstream.toError(cause);
      report({ error: error.message });
      return toFailure(name, error);
    }
  }

  #activate(routes: Routes, before?: Active["sides"]): Active {
    const open = (side: Side): RoutedSide => {
      const key = `${routes[side].origin} ${routes.timeout_seconds}`;
      if (before?.[side].key === key) return before[side];
      const silenceMs = routes.timeout_seconds * 1_000;
      const upstream = new Upstream({ name: `The ${side} server`, url: routes[side], silenceMs });
      const onChange = (state: BreakerState) => this.#events.onBreaker(side, state);
      return {
        side,
        key,
        upstream,
        breaker: new CircuitBreaker(() => performance.now(), onChange),
      };
    };
    const sides = { old: open("old"), new: open("new") };
    return { routes, sides };
  }
}

/** Only calls are read into memory; the rest of an old site may have uploads. */
async function readCall(
  recognize: Recognize,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Call> {
  const { method = "", url: target = "", rawHeaders: headers } = request;
  const head = { method, target, headers };
  if (recognize(head) === undefined) return { head, body: request, recognized: undefined, signal };
  const body = await readBody(request, callBytesMax);
  const recognized = body instanceof Readable ? undefined : recognize(head, body);
  return { head, body, recognized, signal };
}

async function readWhole(response: IncomingMessage, end: Success["end"]): Promise<Success> {
  const { statusCode, statusMessage, rawHeaders } = response;
  const body = await readBody(response, callBytesMax);
  const isRead = body instanceof Buffer;
  if (isRead) end("response");
  const stream = isRead ? Readable.from([body], { objectMode: false }) : body;
  return {
    response: Object.assign(stream, { statusCode, statusMessage, rawHeaders }) as IncomingMessage,
    isFault: isRead && isReceiverFault(response, body),
    end: isRead ? () => {} : end,
  };
}

/** A call that changes something goes to the old server only where ours certainly did not carry it out. */
function mayFallBack(outcome: Outcome, operation: string): boolean {
  const { effect, credentials = false } = operations[operation] ?? {};
  const isChange = effect !== undefined || credentials;
  if ("message" in outcome) return outcome.isUndone || !isChange;
  // A proxy in front of our server sends these where it does not know.
  const isUnknown = [502, 504].includes(outcome.response.statusCode ?? 0);
  return outcome.isFault && !(isChange && isUnknown);
}

/** What the caller gets when both sides were asked: a response rather than none. */
function preferSecond(first: Outcome, second: Outcome): Outcome {
  if ("response" in second) return second;
  if ("response" in first) return first;
  return { ...second, message: `${first.message} ${second.message}` };
}

/** Codes of connections that were never made. */
const unsent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

function toFailure(name: string, { status, cause }: UpstreamError): Failure {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (unsent.test(code)) return { status, message: `${name} cannot be reached.`, isUndone: true };
  const problem = status === 504 ? "did not respond in time" : "broke off its response";
  const message = `${name} ${problem}. It may have carried out the request.`;
  return { status, message, isUndone: false };
}

function sendFailure(
  response: ServerResponse,
  recognized: Recognized | undefined,
  failure: Failure,
) {
  const { headers, body } = renderError(recognized, failure.message);
  const { status, retryAfterMs } = failure;
  const all = [...headers, "Content-Length", String(Buffer.byteLength(body))];
  if (retryAfterMs !== undefined)
    all.push("Retry-After", String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
  response.writeHead(status, all);
  response.end(body);
}
