import { readFormFields } from "../codec/form/fields.ts";
import { bindings } from "../contract/bindings.ts";
import type { Binding, NamedService } from "./binding.ts";
import { compileFormDecode, compileFormEncode, formFault } from "./form.ts";

/** HTTP GET (contract §4.2): a GET of an operation's address with the parts in the query. */
export function httpGet(service: NamedService): Binding {
  const { method, at } = bindings["http-get"];
  return {
    name: "http-get",
    // A content type means nothing without a body (wire case `get-form-body`).
    accepts: (head, target) => target.at === at && head.method === method,
    decode: compileFormDecode(service, "http-get", ({ query }, wanted) =>
      readFormFields(query, { wanted }),
    ),
    encode: compileFormEncode(service, "http-get"),
    encodeFault: formFault("http-get"),
  };
}
