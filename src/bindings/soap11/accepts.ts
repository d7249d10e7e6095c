import { bindings } from "../../contract/bindings.ts";
import type { CallTarget } from "../binding.ts";
import type { HttpHead } from "../http.ts";

/** SOAP 1.1 §6: a POST of text/xml to the address of the service. */
export function accepts(head: HttpHead, target: CallTarget): boolean {
  const { method, at, requestMediaType } = bindings.soap11;
  return target.at === at && head.method === method && head.contentType?.name === requestMediaType;
}
