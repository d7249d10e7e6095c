import { randomUUID } from "node:crypto";
import type { Call } from "../../bindings/binding.ts";
import { emptyBody, type HttpResponse, headerOf, openToAll } from "../../bindings/http.ts";
import { logInBodyBytesMax } from "../../contract/limits.ts";
import { Fault, tooLarge } from "../../fault.ts";
import { type OriginCheck, own } from "../cors/cors-policy.ts";
import { expireLegacyCookies, renderCookie, type SetCookie } from "../log-in/session-cookie.ts";
import { type CallCounter, type Outcome, outcomeOf } from "../metrics/request-meter.ts";
import { idsOf } from "../tracing/trace-context.ts";
import type { App, RequestContext } from "./app.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { textResponse } from "./response.ts";
import { type CallChoice, type Choice, chooseHandler, type RestChoice } from "./router.ts";
import { type RequestVisitor, readVisitor } from "./visitor.ts";

/**
 * The path of every request: check its origin, choose a handler, decode, invoke, encode. Never
 * throws. Returns a promise only where it awaits, so that a look-up whose body is here costs none.
 */
export function handleRequest(
  request: IncomingRequest,
  app: App,
): HttpResponse | Promise<HttpResponse> {
  const startMs = app.meter.now();
  const { head } = request;
  // Programs send neither header, and need no policy.
  const isProgram =
    headerOf(head, "origin") === undefined && headerOf(head, "sec-fetch-site") === undefined;
  const origin = isProgram ? own : app.corsPolicy(request);
  return origin instanceof Promise
    ? origin.then((checked) => respond({ request, origin: checked, startMs }, app))
    : respond({ request, origin, startMs }, app);
}

interface CheckedRequest {
  readonly request: IncomingRequest;
  readonly origin: OriginCheck;
  /** When it arrived, by the clock of the meter. */
  readonly startMs: number;
}

function respond(checked: CheckedRequest, app: App): HttpResponse | Promise<HttpResponse> {
  const { request, origin } = checked;
  const refusal = request.isAdmin ? app.refuseAdminAccess(request, origin) : undefined;
  const choice: Choice =
    refusal === undefined
      ? chooseHandler(request, app, origin)
      : { kind: "response", response: refusal };
  let response: HttpResponse | Promise<HttpResponse>;
  if (choice.kind !== "call" && choice.kind !== "rest") {
    response = respondWithPage(choice, request, app);
  } else if (app.tracing === undefined) {
    response = new CallHandler(choice, checked, app).handle();
  } else {
    response = app.tracing.startCall(request, app.proxies.schemeOf(request), (traced) =>
      new CallHandler(choice, { ...checked, request: traced }, app).handle(),
    );
  }
  const isOpen = choice.kind === "rest" && choice.call.callers === "any";
  const isOwn = choice.kind === "page" && choice.page.isForOwnOrigin === true;
  const headers = isOpen ? openToAll : isOwn ? [] : origin.headers;
  if (headers.length === 0) return response;
  return response instanceof Promise
    ? response.then((made) => withHeaders(made, headers))
    : withHeaders(response, headers);
}

/** Adds the headers of an origin, except where the response is for all origins. */
function withHeaders(response: HttpResponse, more: readonly string[]): HttpResponse {
  if (response.headers.includes("Access-Control-Allow-Origin")) return response;
  return { ...response, headers: [...response.headers, ...more] };
}

type PageChoice = Exclude<Choice, CallChoice | RestChoice>;

function respondWithPage(
  choice: PageChoice,
  request: IncomingRequest,
  app: App,
): HttpResponse | Promise<HttpResponse> {
  const finish = (rendered: HttpResponse) => {
    const response = (rendered.stream && request.streams?.refuse(request.head)) ?? rendered;
    const hint = choice.kind === "response" ? choice.hint : undefined;
    const isProbe = choice.kind === "page" && choice.page.isProbe === true;
    if (response.status >= 400 && !isProbe)
      app.log.refusal(response, toLogged(choice, request), hint);
    app.meter.countOther(choice.kind, response.status);
    return response;
  };
  const fail = (reason: unknown) => {
    app.log.fault(Fault.from(reason), toLogged(choice, request));
    app.meter.countOther(choice.kind, 500);
    return textResponse(500, "The page cannot be rendered.");
  };
  try {
    const rendered = renderChoice(choice, request, app);
    return rendered instanceof Promise ? rendered.then(finish).catch(fail) : finish(rendered);
  } catch (reason) {
    return fail(reason);
  }
}

/** Hides the path of a request where it has values of the caller. */
function toLogged(choice: PageChoice, request: IncomingRequest): IncomingRequest {
  if (choice.kind === "document") return request;
  const { route } = choice.kind === "page" ? choice.page : choice;
  return route === undefined ? request : { ...request, head: { ...request.head, path: route } };
}

function renderChoice(choice: PageChoice, request: IncomingRequest, app: App) {
  switch (choice.kind) {
    case "response": {
      const { response } = choice;
      const noticed = response.status === 403 ? app.onRefusedOrigin?.(request) : undefined;
      return noticed?.then(() => response) ?? response;
    }
    case "page":
      return choice.page(request);
    case "document":
      return choice.service.renderDocument(request, choice.target);
  }
}

/** Handles one call. What is known of it when an error occurs decides the form of the fault. */
class CallHandler implements RequestContext {
  readonly request: IncomingRequest;
  private readonly choice: CallChoice | RestChoice;
  private readonly checked: CheckedRequest;
  private readonly app: App;
  /** True when no cache may store the response, as it depends on a password or a cookie. */
  private isPrivate: boolean;
  private call: Call | undefined;
  private cookie: SetCookie | undefined;
  private retryAfterS: number | undefined;

  constructor(choice: CallChoice | RestChoice, checked: CheckedRequest, app: App) {
    this.request = checked.request;
    this.choice = choice;
    this.checked = checked;
    this.app = app;
    // JSON names its operation in its address, an envelope only within.
    this.isPrivate =
      choice.kind === "rest"
        ? choice.call.credentials
        : choice.target.at === "operation" &&
          choice.service.credentialOperations.has(choice.target.operation);
  }

  /** Returns the response, also to an error: this is the one place where errors are caught. */
  handle(): HttpResponse | Promise<HttpResponse> {
    const { head, body } = this.request;
    try {
      const bytes =
        typeof body === "object" ? body : bodiless.includes(head.method) ? emptyBody : body();
      const response =
        bytes instanceof Promise ? bytes.then((read) => this.run(read)) : this.run(bytes);
      return response instanceof Promise ? response.catch((reason) => this.fail(reason)) : response;
    } catch (reason) {
      return this.fail(reason);
    }
  }

  visitor(): RequestVisitor {
    const { proxies, legacyCookies } = this.app;
    return readVisitor(this.request, this.checked.origin, proxies, legacyCookies?.names);
  }

  found(count: number): void {
    const { choice, call, app, request } = this;
    if (app.log.lookUp === undefined) return;
    const lookUp =
      choice.kind === "rest"
        ? { operation: choice.call.name, binding: "rest" as const }
        : call && { operation: call.operation, binding: call.responseForm.binding };
    if (lookUp !== undefined) app.log.lookUp(lookUp, request, count);
  }

  changeCookie(change: SetCookie): void {
    this.cookie = change;
  }

  retryAfter(seconds: number): void {
    this.retryAfterS = seconds;
  }

  private run(body: Uint8Array): HttpResponse | Promise<HttpResponse> {
    const { choice } = this;
    if (this.isPrivate) checkLength(body);
    if (choice.kind === "rest") return this.runRest(choice, body);
    const { service, target, binding } = choice;
    const call = binding.decode({ ...this.request.head, body }, target);
    this.call = call;
    this.isPrivate = service.credentialOperations.has(call.operation);
    if (this.isPrivate) checkLength(body);
    const operation = service.operations.get(call.operation);
    if (operation === undefined) throw new Error(`${call.operation} has no code`);
    // An envelope names its version of SOAP, so another binding may write the response.
    const writer = service.bindings.get(call.responseForm.binding) ?? binding;
    const result = operation(call.input, this);
    return result instanceof Promise
      ? result.then((value) => this.finish(writer.encode(call, value), "ok"))
      : this.finish(writer.encode(call, result), "ok");
  }

  private runRest({ call, path }: RestChoice, body: Uint8Array) {
    const { head } = this.request;
    const operation = this.app.rest.operations.get(call.name);
    if (operation === undefined) throw new Error(`${call.name} has no code`);
    const input = call.decode({ ...head, body }, path);
    const result = operation(input, this);
    return result instanceof Promise
      ? result.then((value) => this.finish(call.encode(value, head, input), "ok"))
      : this.finish(call.encode(result, head, input), "ok");
  }

  private fail(reason: unknown): HttpResponse {
    const { choice, call, request } = this;
    const fault = Fault.from(reason);
    this.app.log.fault(fault, request, choice.kind === "rest" ? choice.call.route : undefined);
    request.span?.setAttribute("error.type", fault.code);
    if (choice.kind === "rest") {
      const problem = this.app.rest.binding.encodeFault(fault, idsOf(request));
      return this.finish(problem, outcomeOf(fault));
    }
    const form = fault.responseForm ?? call?.responseForm ?? { binding: choice.binding.name };
    const writer = choice.service.bindings.get(form.binding) ?? choice.binding;
    return this.finish(writer.encodeFault(fault, form), outcomeOf(fault));
  }

  /** Adds the headers that the operation set, and counts the request. */
  private finish(response: HttpResponse, outcome: Outcome): HttpResponse {
    const { choice, call, app, request } = this;
    const isPlain = !this.isPrivate && this.retryAfterS === undefined && this.cookie === undefined;
    const finished = isPlain ? response : this.withOwnHeaders(response, outcome);
    let counter: CallCounter;
    if (choice.kind === "rest") {
      counter = app.rest.findCounter(choice.call.name, "rest");
    } else {
      const { service, target, binding } = choice;
      const named = target.at === "operation" ? target.operation : undefined;
      counter = service.findCounter(
        call?.operation ?? named,
        call?.responseForm.binding ?? binding.name,
      );
    }
    counter.add(outcome, this.checked.startMs);
    if (request.span !== undefined) {
      const resource = choice.kind === "rest" ? choice.call : undefined;
      const end = { status: finished.status, outcome, resource };
      app.tracing?.endCall(request.span, counter.labels, end);
    }
    return finished;
  }

  private withOwnHeaders(response: HttpResponse, outcome: Outcome): HttpResponse {
    const headers = this.isPrivate ? toPrivate(response.headers) : response.headers;
    if (this.retryAfterS === undefined && this.cookie === undefined)
      return { ...response, headers };
    const more: string[] = [];
    if (this.retryAfterS !== undefined) more.push("Retry-After", String(this.retryAfterS));
    // A visitor who could not be served keeps the cookie that they have.
    if (this.cookie !== undefined && outcome === "ok") {
      for (const cookie of renderCookie(this.cookie)) more.push("Set-Cookie", cookie);
      const { legacyCookies } = this.app;
      // A visitor who logs out, or in by password, must not be logged in by the old cookie later.
      if (legacyCookies !== undefined && this.cookie !== "expire") {
        const expired = expireLegacyCookies(this.request.head, legacyCookies);
        for (const cookie of expired) more.push("Set-Cookie", cookie);
      }
    }
    return { ...response, headers: [...headers, ...more] };
  }
}

/** Private headers by the headers of the binding, which has one list for all of its responses. */
const privateHeaders = new WeakMap<readonly string[], readonly string[]>();

/** Replaces the caching of a response that depends on a password or a cookie. */
function toPrivate(headers: readonly string[]): readonly string[] {
  let made = privateHeaders.get(headers);
  if (made === undefined) {
    const others = headers.filter((_text, i) => headers[i - (i % 2)] !== "Cache-Control");
    made = [...others, "Cache-Control", "no-store", "Vary", "Cookie"];
    privateHeaders.set(headers, made);
  }
  return made;
}

/** Calls that act on passwords or cookies are short. */
function checkLength({ length }: Uint8Array): void {
  if (length > logInBodyBytesMax) throw tooLarge(logInBodyBytesMax);
}

/** Methods whose requests have no body. */
const bodiless = ["GET", "HEAD"];

const processPrefix = randomUUID().slice(0, 8);

/** Creates a random UUID (RFC 9562 §5.4) whose first eight digits are those of this process. */
export function createRequestId(): string {
  return processPrefix + randomUUID().slice(processPrefix.length);
}
