import { type Binding, type CallTarget, errorCaching } from "../bindings/binding.ts";
import { isBelow, readTarget } from "../bindings/call-target.ts";
import { type HttpHead, type HttpResponse, headerOf } from "../bindings/http.ts";
import { bindings as facts } from "../contract/bindings.ts";
import { Fault } from "../fault.ts";
import type { ServedService, Site } from "./site.ts";

/** What becomes of a request, as far as its head tells. */
export type Choice =
  | {
      readonly kind: "call";
      readonly service: ServedService;
      readonly target: CallTarget;
      readonly binding: Binding;
    }
  | { readonly kind: "answer"; readonly answer: HttpResponse };

/**
 * Chooses the binding that carries a request. A request for a document, and one that no binding
 * takes, is answered here: 404, 405 with Allow, 414, 415 (decision 0006).
 */
export function chooseBinding(head: HttpHead, site: Site): Choice {
  const page = site.pages.get(head.path);
  if (page !== undefined)
    return answered(head.method === "GET" ? page() : wrongMethod(head, ["GET"]));
  const service = site.services.find((candidate) => isBelow(head.path, candidate.path));
  if (service === undefined) return answered(notFound(head, site));
  const target = readTarget(head.path, service.path);
  const binding = service.bindings.find((candidate) => candidate.accepts(head, target));
  if (binding === undefined) return answered(refusal(head, service, target));
  if (target.at === "operation" && target.operation === "") return answered(noOperation);
  const encoding = headerOf(head, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    const message = `The content encoding ${encoding.slice(0, 40)} is not supported, send the body as it is.`;
    return answered(binding.encodeFault(new Fault("unsupported-media", message)));
  }
  return { kind: "call", service, target, binding };
}

/** An error in plain text that belongs to no binding; `reason` is a sentence. */
export function textAnswer(
  status: number,
  reason: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", errorCaching, "Content-Type", "text/plain; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: `${reason}\n` };
}

function answered(answer: HttpResponse): Choice {
  return { kind: "answer", answer };
}

/** The wording is the reference stack's; it answers so to a path that ends with a slash. */
const noOperation = textAnswer(
  500,
  "Request format is unrecognized for URL unexpectedly ending in '/'.",
);

function refusal(head: HttpHead, service: ServedService, target: CallTarget): HttpResponse {
  if (head.method === "GET" && target.at === "service") return service.document(head);
  const here = service.bindings.filter(({ name }) => facts[name].at === target.at);
  const sameMethod = here.filter(({ name }) => facts[name].method === head.method);
  const [first] = sameMethod;
  if (first === undefined) {
    const methods = here.map(({ name }) => facts[name].method);
    return wrongMethod(head, target.at === "service" ? ["GET", ...methods] : methods);
  }
  const sent = head.contentType?.text ?? "";
  if (target.at === "operation") {
    return first.encodeFault(
      new Fault("sender", `Request format is invalid: ${sent.slice(0, 200)}.`),
    );
  }
  const expected = sameMethod.map(({ name }) => facts[name].requestMediaType).join(" or ");
  const found = sent === "" ? "no content type" : sent.slice(0, 200);
  return textAnswer(415, `Found ${found}, expected ${expected}.`);
}

function wrongMethod(head: HttpHead, methods: readonly string[]): HttpResponse {
  const allowed = [...new Set(methods)];
  const reason = `The method ${head.method.slice(0, 40)} is not allowed here, use ${allowed.join(" or ")}.`;
  return textAnswer(405, reason, ["Allow", allowed.join(", ")]);
}

function notFound(head: HttpHead, site: Site): HttpResponse {
  const services = site.services.map(({ path }) => path).join(", ");
  return textAnswer(
    404,
    `Nothing is served at ${head.path.slice(0, 200)}. Served are: ${services}.`,
  );
}
