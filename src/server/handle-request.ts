import type { Call } from "../bindings/binding.ts";
import { type HttpResponse, noBody } from "../bindings/http.ts";
import { Fault } from "../fault.ts";
import { keptByNobody, takeNotes, withHeaders } from "./answer-notes.ts";
import {
  type CallChoice,
  type Choice,
  chooseBinding,
  type RouteChoice,
  textAnswer,
} from "./choose-binding.ts";
import { jsonFault } from "./json-answer.ts";
import { outcomeOf } from "./request-meter.ts";
import type { Incoming, JudgedRequest, Site } from "./site.ts";

/** The path of every request: judge its origin, choose a binding, decode, invoke, encode. Never throws. */
export async function handleRequest(incoming: Incoming, site: Site): Promise<HttpResponse> {
  const sinceMs = site.meter.now();
  const judged = site.judgeOrigin(incoming.head);
  const origin = judged instanceof Promise ? await judged : judged;
  const choice = chooseBinding(incoming.head, site, origin);
  if (choice.kind === "call" || choice.kind === "route") {
    const answer = await carryOut(choice, { incoming, origin }, site, sinceMs);
    return withHeaders(answer, origin.headers);
  }
  const answer = await answerWithoutCall(choice, incoming, site);
  site.meter.countOther(choice.kind, answer.status);
  return withHeaders(answer, origin.headers);
}

type OtherChoice = Exclude<Choice, CallChoice | RouteChoice>;

async function answerWithoutCall(
  choice: OtherChoice,
  incoming: Incoming,
  site: Site,
): Promise<HttpResponse> {
  try {
    const answer = await showPage(choice, incoming);
    if (answer.status >= 400) site.logRefusal(answer, incoming);
    return answer;
  } catch (reason) {
    site.logFault(Fault.from(reason), incoming);
    return textAnswer(500, "The page could not be made.");
  }
}

function showPage(choice: OtherChoice, incoming: Incoming): HttpResponse | Promise<HttpResponse> {
  switch (choice.kind) {
    case "answer":
      return choice.answer;
    case "page":
      return choice.page(incoming);
    case "document":
      return choice.service.document(incoming, choice.target);
  }
}

async function carryOut(
  choice: CallChoice | RouteChoice,
  request: JudgedRequest,
  site: Site,
  sinceMs: number,
): Promise<HttpResponse> {
  const { incoming } = request;
  const notes = takeNotes();
  let isPrivate = hasCredentials(choice);
  let call: Call | undefined;
  try {
    let answer: HttpResponse;
    if (choice.kind === "route") answer = await choice.route.handle(request, notes);
    else {
      const { service, target, binding } = choice;
      const body = incoming.head.method === "GET" ? noBody : await incoming.readBody();
      call = binding.decode({ ...incoming.head, body }, target);
      isPrivate = service.credentials.has(call.operation);
      const result = await service.invoke(call, request, notes);
      answer = service.bindingOf(call.answer.binding).encode(call, result);
    }
    const noted = withHeaders(isPrivate ? keptByNobody(answer) : answer, notes.ofResult());
    if (choice.kind === "route") site.meter.countOther("route", noted.status);
    else findCounter(choice, call).add("ok", sinceMs);
    return noted;
  } catch (reason) {
    const fault = Fault.from(reason);
    site.logFault(fault, incoming);
    const answer = encodeFault(choice, fault, call);
    if (choice.kind === "route") site.meter.countOther("route", answer.status);
    else findCounter(choice, call).add(outcomeOf(fault), sinceMs);
    return withHeaders(isPrivate ? keptByNobody(answer) : answer, notes.ofFault());
  }
}

/** Whether a request acts on credentials, as far as its head tells: an envelope names its operation only within. */
function hasCredentials(choice: CallChoice | RouteChoice): boolean {
  if (choice.kind === "route") return true;
  const { service, target } = choice;
  return target.at === "operation" && service.credentials.has(target.operation);
}

/** What counts a call: by its own word once it has been read, until then by its address. */
function findCounter({ service, target, binding }: CallChoice, call: Call | undefined) {
  if (call !== undefined) return service.counterOf(call.operation, call.answer.binding);
  const named = target.at === "operation" ? target.operation : undefined;
  return service.counterOf(named, binding.name);
}

/** @param call says how it is to be answered, once it has been read. */
function encodeFault(
  choice: CallChoice | RouteChoice,
  fault: Fault,
  call: Call | undefined,
): HttpResponse {
  if (choice.kind === "route") return jsonFault(fault);
  const answer = fault.answer ?? call?.answer ?? { binding: choice.binding.name };
  return choice.service.bindingOf(answer.binding).encodeFault(fault, answer);
}
