import { bindings } from "../../contract/bindings.ts";
import type { CallTarget } from "../binding.ts";
import type { HttpHead } from "../http.ts";

/** Contract §4.2: a POST of a form to an operation's address. */
export function accepts(head: HttpHead, target: CallTarget): boolean {
  const { method, at, requestMediaType } = bindings["http-post"];
  return target.at === at && head.method === method && head.contentType?.name === requestMediaType;
}
