import { bindings } from "../../contract/bindings.ts";
import type { CallTarget } from "../binding.ts";
import type { HttpHead } from "../http.ts";

/** SOAP 1.2 Part 2 §7: a POST of application/soap+xml to the address of the service. */
export function accepts(head: HttpHead, target: CallTarget): boolean {
  const { method, at, requestMediaType } = bindings.soap12;
  return target.at === at && head.method === method && head.contentType?.name === requestMediaType;
}
