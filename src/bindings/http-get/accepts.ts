import { bindings } from "../../contract/bindings.ts";
import type { CallTarget } from "../binding.ts";
import type { HttpHead } from "../http.ts";

/** Contract §4.2: a GET of an operation's address. A content type means nothing without a body (wire case `get-form-body`). */
export function accepts(head: HttpHead, target: CallTarget): boolean {
  const { method, at } = bindings["http-get"];
  return target.at === at && head.method === method;
}
