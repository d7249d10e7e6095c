import { type HttpResponse, noBody } from "../bindings/http.ts";
import { type AnswerForm, Fault } from "../fault.ts";
import { keptByNobody, takeNotes, withHeaders } from "./answer-notes.ts";
import { type CallChoice, type Choice, chooseBinding, type RouteChoice } from "./choose-binding.ts";
import { jsonFault } from "./json-answer.ts";
import type { Incoming, JudgedRequest, Site } from "./site.ts";

/** The path of every request: judge its origin, choose a binding, decode, invoke, encode. Never throws. */
export async function handleRequest(incoming: Incoming, site: Site): Promise<HttpResponse> {
  const judged = site.judgeOrigin(incoming.head);
  const origin = judged instanceof Promise ? await judged : judged;
  const choice = chooseBinding(incoming.head, site, origin);
  if (choice.kind === "call" || choice.kind === "route") {
    return withHeaders(await carryOut(choice, { incoming, origin }, site), origin.headers);
  }
  const answer = answerWithoutCall(choice, incoming);
  if (answer.status >= 400) site.logRefusal(answer, incoming);
  return withHeaders(answer, origin.headers);
}

function answerWithoutCall(
  choice: Exclude<Choice, CallChoice | RouteChoice>,
  incoming: Incoming,
): HttpResponse {
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
): Promise<HttpResponse> {
  const { incoming } = request;
  const notes = takeNotes();
  let isPrivate = hasCredentials(choice);
  let form: AnswerForm | undefined;
  try {
    let answer: HttpResponse;
    if (choice.kind === "route") answer = await choice.route.handle(request, notes);
    else {
      const { service, target, binding } = choice;
      const body = incoming.head.method === "GET" ? noBody : await incoming.readBody();
      const decoded = binding.decode({ ...incoming.head, body }, target);
      form = decoded.answer;
      isPrivate = service.credentials.has(decoded.operation);
      const result = await service.invoke(decoded, request, notes);
      answer = service.bindingOf(form.binding).encode(decoded, result);
    }
    return withHeaders(isPrivate ? keptByNobody(answer) : answer, notes.ofResult());
  } catch (reason) {
    const fault = Fault.from(reason);
    site.logFault(fault, incoming);
    const answer = encodeFault(choice, fault, form);
    return withHeaders(isPrivate ? keptByNobody(answer) : answer, notes.ofFault());
  }
}

/** Whether a request acts on credentials, as far as its head tells: an envelope names its operation only within. */
function hasCredentials(choice: CallChoice | RouteChoice): boolean {
  if (choice.kind === "route") return true;
  const { service, target } = choice;
  return target.at === "operation" && service.credentials.has(target.operation);
}

/** @param form how the call is to be answered, once it has been read. */
function encodeFault(
  choice: CallChoice | RouteChoice,
  fault: Fault,
  form: AnswerForm | undefined,
): HttpResponse {
  if (choice.kind === "route") return jsonFault(fault);
  const answer = fault.answer ?? form ?? { binding: choice.binding.name };
  return choice.service.bindingOf(answer.binding).encodeFault(fault, answer);
}
