import { type HttpResponse, noBody } from "../bindings/http.ts";
import { Fault } from "../fault.ts";
import { chooseBinding } from "./choose-binding.ts";
import type { Incoming, Site } from "./site.ts";

/** The path of every request: choose a binding, decode, invoke, encode. Never throws. */
export async function handleRequest(incoming: Incoming, site: Site): Promise<HttpResponse> {
  const choice = chooseBinding(incoming.head, site);
  if (choice.kind === "answer") {
    if (choice.answer.status !== 200) site.logRefusal(choice.answer, incoming);
    return choice.answer;
  }
  const { service, target } = choice;
  let { binding } = choice;
  try {
    const body = incoming.head.method === "GET" ? noBody : await incoming.readBody();
    const call = binding.decode({ ...incoming.head, body }, target);
    binding = service.bindingOf(call.answerAs);
    return binding.encode(call, await service.invoke(call, incoming.id));
  } catch (reason) {
    const fault = Fault.from(reason);
    site.logFault(fault, incoming);
    return (fault.answerAs ? service.bindingOf(fault.answerAs) : binding).encodeFault(fault);
  }
}
