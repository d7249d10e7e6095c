import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { type Handle, passOn, type Received, readBody } from "../listener.ts";
import type { Recognize, Recognized, RequestHead } from "../recognize.ts";
import { toEndToEnd, Upstream, type UpstreamError } from "../upstream.ts";
import { CircuitBreaker } from "./breaker.ts";
import { chooseSide, type Side } from "./choose-side.ts";
import { type Failure, kindOf, type ResponseKind, respondFailure } from "./fault-forms.ts";
import { operations, type Routes } from "./routes.ts";

/** Longest response in place of which another may still be sent, in bytes. */
const heldBytesMax = 4 * 1_048_576;

/** Which requests are calls that our server takes. */
export interface Calls {
  readonly recognize: Recognize;
  /** Longest body, in bytes; anything longer is left to the old server. */
  readonly bytesMax: number;
}

/** One request to one side. */
export interface Attempt {
  readonly side: Side;
  /** Null where the request names none of ours. */
  readonly operation: string | null;
  /** Whether ours failed before. */
  readonly isFallback: boolean;
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
  onCircuit(side: Side, isOpen: boolean): void;
}

interface Server {
  readonly side: Side;
  readonly upstream: Upstream;
  readonly breaker: CircuitBreaker;
}

/** A request on its way. */
interface Call {
  readonly request: IncomingMessage;
  readonly head: RequestHead;
  readonly body: Buffer | Readable;
  readonly recognized: Recognized | undefined;
  readonly operation: string | null;
  /** Address that the connection comes from. */
  readonly peer: string;
  readonly signal: AbortSignal;
}

type Result = Received | Failure;

interface Outcome {
  readonly kind: ResponseKind;
  readonly result: Result;
}

/** Sends each request to the side that the routes name (decision 0081). */
export class Router {
  readonly #calls: Calls;
  readonly #events: RouterEvents;
  #active: { readonly routes: Routes; readonly servers: Readonly<Record<Side, Server>> };

  constructor(routes: Routes, calls: Calls, events: RouterEvents) {
    this.#calls = calls;
    this.#events = events;
    this.#active = { routes, servers: this.#openServers(routes) };
  }

  /** Uses other routes for requests that arrive from now on. */
  use(routes: Routes): void {
    const { servers, routes: before } = this.#active;
    const keys = ["old", "new", "timeout_seconds"];
    const isSame = keys.every((key) => routes.texts[key] === before.texts[key]);
    this.#active = { routes, servers: isSame ? servers : this.#openServers(routes) };
  }

  /** Whether the circuit of each side is open, or closed as it should be. */
  get circuits(): Readonly<Record<Side, "open" | "closed">> {
    const { old, new: ours } = this.#active.servers;
    const stateOf = ({ breaker }: Server) => (breaker.isOpen ? "open" : "closed");
    return { old: stateOf(old), new: stateOf(ours) };
  }

  /** Responds to one request. */
  readonly handle: Handle = async (request, response, signal) => {
    try {
      const call = await readCall(this.#calls, request, signal);
      const result = await this.#route(call);
      if ("message" in result) respondFailure(response, call.recognized, result);
      else await passOn(result, response, signal);
    } catch {
      // The caller is gone, or the response broke off; then it has been cut here too.
      if (!response.headersSent) response.destroy();
    }
  };

  async #route(call: Call): Promise<Result> {
    const { routes, servers } = this.#active;
    const { side, fallback } = chooseSide(routes, call.operation, call.head, call.peer);
    const { kind, result } = await this.#send(servers[side], call, fallback ? "first" : "only");
    const isAgain = kind === "unchanged" || (kind === "unknown" && !isChange(call));
    if (!fallback || !isAgain) return result;
    const { result: second } = await this.#send(servers.old, call, "second");
    if (!("message" in second)) return second;
    if (!("message" in result)) return result;
    return { ...second, message: `${result.message} ${second.message}` };
  }

  /** @param turn a response to the first of two is read whole, so that the second may still take its place. */
  async #send(
    { side, upstream, breaker }: Server,
    call: Call,
    turn: "only" | "first" | "second",
  ): Promise<Outcome> {
    const { request, body, operation, signal, peer } = call;
    const forwarded = side === "new" ? ["X-Forwarded-For", peer] : [];
    // After the headers that Connection names are left out: a caller could name this one.
    const head = { ...call.head, headers: [...toEndToEnd(call.head.headers), ...forwarded] };
    const attempt = { side, operation, isFallback: turn === "second" };
    const end = breaker.begin();
    if (end === undefined) {
      this.#events.onAttempt(attempt);
      // Many callers read a response only once all of their request is taken.
      if (body instanceof Readable) body.resume();
      const message = `The ${side} server does not respond. Try again later.`;
      return { kind: "unchanged", result: { status: 503, message } };
    }
    const startedMs = performance.now();
    const report = (found: Pick<Attempt, "status" | "error">) =>
      this.#events.onAttempt({ ...attempt, ms: performance.now() - startedMs, ...found });
    try {
      const response = await upstream.send(head, body, signal);
      const outcome: Outcome =
        turn === "first"
          ? await readWhole(response)
          : { kind: "final", result: { response, body: response } };
      end("response");
      report({ status: response.statusCode });
      return outcome;
    } catch (cause) {
      const error = upstream.toError(cause);
      // A caller that sends its request slowly says nothing of the side either.
      const isSlowCaller = error.status === 504 && error.isSent && !request.complete;
      end(signal.aborted || isSlowCaller ? "aborted" : "no-response");
      if (signal.aborted) throw cause;
      report({ error: error.message });
      return toOutcome(side, error);
    }
  }

  #openServers(routes: Routes): Readonly<Record<Side, Server>> {
    const open = (side: Side): Server => {
      const silenceMs = routes.timeout_seconds * 1_000;
      const upstream = new Upstream({ name: `The ${side} server`, url: routes[side], silenceMs });
      const onChange = (isOpen: boolean) => this.#events.onCircuit(side, isOpen);
      return { side, upstream, breaker: new CircuitBreaker(() => performance.now(), onChange) };
    };
    return { old: open("old"), new: open("new") };
  }
}

/** Only calls are read into memory; the rest of an old site may have uploads. */
async function readCall(
  { recognize, bytesMax }: Calls,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Call> {
  const { method = "", url: target = "", rawHeaders: headers } = request;
  const head = { method, target, headers };
  const isCall = recognize(head) !== undefined;
  const body = isCall ? await readBody(request, bytesMax) : request;
  const recognized = body instanceof Readable ? undefined : recognize(head, body);
  const { operation = null } = recognized ?? {};
  const peer = request.socket.remoteAddress ?? "";
  return { request, head, body, recognized, operation, peer, signal };
}

async function readWhole(response: IncomingMessage): Promise<Outcome> {
  const body = await readBody(response, heldBytesMax);
  const kind = body instanceof Buffer ? kindOf(response, body) : "final";
  return { kind, result: { response, body } };
}

/** Whether a call may go to a second server only where the first certainly changed nothing. */
function isChange({ operation }: Call): boolean {
  const { effect, credentials = false } = operations[operation ?? ""] ?? {};
  return effect !== undefined || credentials;
}

function toOutcome(side: Side, { status, isSent }: UpstreamError): Outcome {
  if (!isSent) {
    const message = `The ${side} server cannot be reached.`;
    return { kind: "unchanged", result: { status, message } };
  }
  const problem = status === 504 ? "did not respond in time" : "broke off its response";
  const message = `The ${side} server ${problem}. It may have carried out the request.`;
  return { kind: "unknown", result: { status, message } };
}
