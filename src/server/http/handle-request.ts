import type { Call } from "../../bindings/binding.ts";
import { type HttpResponse, noBody } from "../../bindings/http.ts";
import { logInBodyBytesMax } from "../../contract/limits.ts";
import { Fault, tooLarge } from "../../fault.ts";
import { type Outcome, outcomeOf } from "../metrics/request-meter.ts";
import type { App, CheckedRequest, IncomingRequest } from "./app.ts";
import { jsonFault } from "./json-response.ts";
import { noStore, ResponseHeaderList, withHeaders } from "./response-headers.ts";
import {
  type CallChoice,
  type Choice,
  chooseHandler,
  type RouteChoice,
  textResponse,
} from "./router.ts";

/**
 * The path of every request: judge its origin, choose a binding, decode, invoke, encode. Never throws. The answer is a promise
 * only where something is waited for, so that a look-up whose body is there costs none.
 */
export function handleRequest(
  incoming: IncomingRequest,
  site: App,
): HttpResponse | Promise<HttpResponse> {
  const sinceMs = site.meter.now();
  const origin = site.corsPolicy(incoming);
  return origin instanceof Promise
    ? origin.then((verdict) => answerJudged({ incoming, origin: verdict }, site, sinceMs))
    : answerJudged({ incoming, origin }, site, sinceMs);
}

function answerJudged(
  request: CheckedRequest,
  site: App,
  sinceMs: number,
): HttpResponse | Promise<HttpResponse> {
  const { incoming, origin } = request;
  const refusal = incoming.isAdmin ? site.refuseAdminAccess(request) : undefined;
  const choice: Choice =
    refusal === undefined
      ? chooseHandler(incoming.head, site, origin)
      : { kind: "answer", answer: refusal };
  const answer =
    choice.kind === "call" || choice.kind === "route"
      ? new CallHandler(choice, request, site, sinceMs).carryOut()
      : answerWithoutCall(choice, incoming, site);
  return answer instanceof Promise
    ? answer.then((made) => withHeaders(made, origin.headers))
    : withHeaders(answer, origin.headers);
}

type OtherChoice = Exclude<Choice, CallChoice | RouteChoice>;

async function answerWithoutCall(
  choice: OtherChoice,
  incoming: IncomingRequest,
  site: App,
): Promise<HttpResponse> {
  const answer = await makePage(choice, incoming, site);
  site.meter.countOther(choice.kind, answer.status);
  return answer;
}

async function makePage(
  choice: OtherChoice,
  incoming: IncomingRequest,
  site: App,
): Promise<HttpResponse> {
  try {
    const answer = await showPage(choice, incoming);
    const hint = choice.kind === "answer" ? choice.hint : undefined;
    if (answer.status >= 400) site.logRefusal(answer, incoming, hint);
    return answer;
  } catch (reason) {
    site.logFault(Fault.from(reason), incoming);
    return textResponse(500, "The page could not be made.");
  }
}

function showPage(
  choice: OtherChoice,
  incoming: IncomingRequest,
): HttpResponse | Promise<HttpResponse> {
  switch (choice.kind) {
    case "answer":
      return choice.answer;
    case "page":
      return choice.page(incoming);
    case "document":
      return choice.service.renderDocument(incoming, choice.target);
  }
}

/** A call or a route that is being answered: what is known of it by now decides how an error is told. */
class CallHandler {
  private readonly choice: CallChoice | RouteChoice;
  private readonly request: CheckedRequest;
  private readonly site: App;
  private readonly sinceMs: number;
  private readonly notes = new ResponseHeaderList();
  private isPrivate: boolean;
  /** How it is to be answered, once it has been read. */
  private call: Call | undefined;

  constructor(
    choice: CallChoice | RouteChoice,
    request: CheckedRequest,
    site: App,
    sinceMs: number,
  ) {
    this.choice = choice;
    this.request = request;
    this.site = site;
    this.sinceMs = sinceMs;
    this.isPrivate = hasCredentials(choice);
  }

  /** The answer, also to what goes wrong: this is the one place where errors are caught. */
  carryOut(): HttpResponse | Promise<HttpResponse> {
    try {
      const answer = this.attempt();
      return answer instanceof Promise ? answer.catch((reason) => this.refuse(reason)) : answer;
    } catch (reason) {
      return this.refuse(reason);
    }
  }

  private attempt(): HttpResponse | Promise<HttpResponse> {
    const { choice, request, notes } = this;
    if (choice.kind === "route") {
      return choice.route.handle(request, notes).then((answer) => this.finish(answer));
    }
    const { incoming } = request;
    const body = incoming.head.method === "GET" ? noBody : incoming.readBody();
    return body instanceof Promise
      ? body.then((bytes) => this.perform(choice, bytes))
      : this.perform(choice, body);
  }

  private perform(choice: CallChoice, body: Uint8Array): HttpResponse | Promise<HttpResponse> {
    const { service, target, binding } = choice;
    const { request, notes } = this;
    // JSON names its operation in its address, an envelope only within.
    this.checkLength(body);
    const call = binding.decode({ ...request.incoming.head, body }, target);
    this.call = call;
    this.isPrivate = service.credentialOperations.has(call.operation);
    this.checkLength(body);
    const encode = (result: unknown) =>
      this.finish(service.findBinding(call.responseForm.binding).encode(call, result));
    const result = service.invoke(call, request, notes);
    return result instanceof Promise ? result.then(encode) : encode(result);
  }

  private checkLength({ length }: Uint8Array): void {
    if (this.isPrivate && length > logInBodyBytesMax) throw tooLarge(logInBodyBytesMax);
  }

  private finish(answer: HttpResponse): HttpResponse {
    const noted = withHeaders(this.isPrivate ? noStore(answer) : answer, this.notes.forResult());
    this.count("ok", noted.status);
    return noted;
  }

  private refuse(reason: unknown): HttpResponse {
    const fault = Fault.from(reason);
    this.site.logFault(fault, this.request.incoming);
    const answer = encodeFault(this.choice, fault, this.call);
    this.count(outcomeOf(fault), answer.status);
    return withHeaders(this.isPrivate ? noStore(answer) : answer, this.notes.forFault());
  }

  private count(outcome: Outcome, status: number): void {
    const { choice, site, call, sinceMs } = this;
    if (choice.kind === "route") site.meter.countOther("route", status);
    else findCounter(choice, call).add(outcome, sinceMs);
  }
}

/** Whether a request acts on credentials, as far as its head tells: an envelope names its operation only within. */
function hasCredentials(choice: CallChoice | RouteChoice): boolean {
  if (choice.kind === "route") return true;
  const { service, target } = choice;
  return target.at === "operation" && service.credentialOperations.has(target.operation);
}

/** What counts a call: by its own word once it has been read, until then by its address. */
function findCounter({ service, target, binding }: CallChoice, call: Call | undefined) {
  if (call !== undefined) return service.findCounter(call.operation, call.responseForm.binding);
  const named = target.at === "operation" ? target.operation : undefined;
  return service.findCounter(named, binding.name);
}

/** @param call says how it is to be answered, once it has been read. */
function encodeFault(
  choice: CallChoice | RouteChoice,
  fault: Fault,
  call: Call | undefined,
): HttpResponse {
  if (choice.kind === "route") return jsonFault(fault);
  const answer = fault.responseForm ?? call?.responseForm ?? { binding: choice.binding.name };
  return choice.service.findBinding(answer.binding).encodeFault(fault, answer);
}
