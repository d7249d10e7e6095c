import type { Span, SpanOptions, TextMapGetter, Tracer } from "@opentelemetry/api";
import { type HttpHead, listValues } from "../../bindings/http.ts";
import type { RestCall } from "../../bindings/rest/rest.ts";
import type { Semaphore } from "../../lib/semaphore.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { Log } from "../log.ts";
import type { CallLabels, Outcome } from "../metrics/request-meter.ts";
import type { Config } from "../settings/settings.ts";

// Spans for the SDK of OpenTelemetry that the operator has loaded (decision 0067). No attribute may
// hold what a caller sent: neither the path, which has the postal code over REST, nor the query,
// headers, user names or messages of errors.

type OpenTelemetry = typeof import("@opentelemetry/api");

/** Where every copy of `@opentelemetry/api` 1.x looks for what an SDK has registered. */
const registry = Symbol.for("opentelemetry.js.api.1");
const tracerName = "web-forms-helper";

/** Opens tracing; undefined, and nothing is loaded, where no SDK was registered at start. */
export async function openTracing(
  { databaseUrl }: Pick<Config, "databaseUrl">,
  log: Pick<Log, "info" | "warn">,
): Promise<Tracing | undefined> {
  if (!Object.hasOwn(globalThis, registry)) return undefined;
  const api = await import("@opentelemetry/api");
  const provider = api.trace.getTracerProvider();
  if (
    provider instanceof api.ProxyTracerProvider &&
    provider.getDelegateTracer(tracerName) === undefined
  ) {
    log.warn(
      "OpenTelemetry is loaded but no tracer of it can be used: register a tracer provider, with @opentelemetry/api 1.9 or a later 1.x",
    );
    return undefined;
  }
  log.info("tracing with OpenTelemetry");
  const databaseSystem = databaseUrl.startsWith("sqlite:") ? "sqlite" : "postgresql";
  return new Tracing(api, provider.getTracer(tracerName), databaseSystem);
}

/** Reads headers for a propagator. */
const getter: TextMapGetter<HttpHead> = {
  get: (head, key) => listValues(head, key).join() || undefined,
  keys: ({ headers }) => headers.filter((_text, i) => i % 2 === 0),
};

/** Facts of a call that has ended. */
interface CallEnd {
  readonly status: number;
  readonly outcome: Outcome;
  /** Undefined for a call of a service. */
  readonly resource: Pick<RestCall, "method" | "route"> | undefined;
}

/** Creates spans. */
export class Tracing {
  readonly #api: OpenTelemetry;
  readonly #tracer: Tracer;
  readonly #databaseSystem: string;

  constructor(api: OpenTelemetry, tracer: Tracer, databaseSystem: string) {
    this.#api = api;
    this.#tracer = tracer;
    this.#databaseSystem = databaseSystem;
  }

  /** Handles a call within a child of the caller's span; `endCall` ends it. */
  startCall<Result>(
    request: IncomingRequest,
    scheme: "http" | "https",
    handle: (traced: IncomingRequest) => Result,
  ): Result {
    const { ROOT_CONTEXT, SpanKind, context, propagation, trace } = this.#api;
    const { id, head } = request;
    // The active context may be that of an earlier request of the connection.
    const caller = propagation.extract(ROOT_CONTEXT, head, getter);
    const attributes = {
      "http.request.method": head.method,
      "url.scheme": scheme,
      "wfh.request_id": id,
    };
    const span = this.#tracer.startSpan(head.method, { kind: SpanKind.SERVER, attributes }, caller);
    return context.with(trace.setSpan(caller, span), () => handle({ ...request, span }));
  }

  /** Names the span of a call by the semantic conventions for RPC or, over REST, HTTP. */
  endCall(
    span: Span,
    { service, operation, binding }: CallLabels,
    { status, outcome, resource }: CallEnd,
  ): void {
    if (resource !== undefined) {
      const { method, route } = resource;
      span.updateName(`${method} ${route}`).setAttribute("http.route", route);
    } else {
      const name = `${service}/${operation}`;
      span.updateName(name).setAttributes({ "rpc.system.name": binding, "rpc.method": name });
    }
    span.setAttribute("http.response.status_code", status);
    // The status does not say whose mistake it was: SOAP has 500 for those of callers too.
    const isError = outcome === "server_fault" || outcome === "refused";
    if (isError) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    span.end();
  }

  /** Wraps the semaphore of password hashes: each runs in a child of the active span. */
  hashes(permits: Pick<Semaphore, "run">): Pick<Semaphore, "run"> {
    return { run: (work) => permits.run(() => this.#run("password hash", {}, work)) };
  }

  /** Runs a query of the database within a child of the active span, `<group>.<method>`. */
  query<Result>(name: string, query: () => Promise<Result>): Promise<Result> {
    const kind = this.#api.SpanKind.CLIENT;
    const attributes = { "db.system.name": this.#databaseSystem };
    return this.#run(name, { kind, attributes }, query);
  }

  async #run<Result>(
    name: string,
    options: SpanOptions,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { SpanStatusCode, trace } = this.#api;
    // What a timer does belongs to no call.
    if (trace.getActiveSpan() === undefined) return work();
    return this.#tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work();
      } catch (cause) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw cause;
      } finally {
        span.end();
      }
    });
  }
}
