import { type HttpResponse, noBody } from "../bindings/http.ts";
import { type AnswerForm, Fault } from "../fault.ts";
import { type CallChoice, chooseBinding } from "./choose-binding.ts";
import type { Incoming, Site } from "./site.ts";

/** The path of every request: choose a binding, decode, invoke, encode. Never throws. */
export async function handleRequest(incoming: Incoming, site: Site): Promise<HttpResponse> {
  const origin = site.judgeOrigin(incoming.head);
  const choice = chooseBinding(incoming.head, site, origin);
  if (choice.kind === "answer" && choice.answer.status >= 400) {
    site.logRefusal(choice.answer, incoming);
  }
  const answer = choice.kind === "answer" ? choice.answer : await call(choice, incoming, site);
  if (origin.headers.length === 0) return answer;
  return { ...answer, headers: [...answer.headers, ...origin.headers] };
}

async function call(choice: CallChoice, incoming: Incoming, site: Site): Promise<HttpResponse> {
  const { service, target, binding } = choice;
  let answer: AnswerForm = { binding: binding.name };
  try {
    const body = incoming.head.method === "GET" ? noBody : await incoming.readBody();
    const decoded = binding.decode({ ...incoming.head, body }, target);
    answer = decoded.answer;
    const result = await service.invoke(decoded, incoming);
    return service.bindingOf(answer.binding).encode(decoded, result);
  } catch (reason) {
    const fault = Fault.from(reason);
    site.logFault(fault, incoming);
    answer = fault.answer ?? answer;
    return service.bindingOf(answer.binding).encodeFault(fault, answer);
  }
}
