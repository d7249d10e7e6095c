import { bytesAsText } from "../codec/decode-text.ts";
import { readFormFields } from "../codec/form/fields.ts";
import { bindings } from "../contract/bindings.ts";
import type { Binding, NamedService } from "./binding.ts";
import { compileFormDecode, compileFormEncode, formFault } from "./form.ts";

/** HTTP POST (contract §4.2): a POST of a form to an operation's address. */
export function httpPost(service: NamedService): Binding {
  const { method, at, requestMediaType } = bindings["http-post"];
  return {
    name: "http-post",
    accepts: (head, target) =>
      target.at === at && head.method === method && head.contentType?.name === requestMediaType,
    // Parts in the query do not count (wire case `post-queryonly`).
    decode: compileFormDecode(service, "http-post", ({ body, contentType }, wanted) =>
      readFormFields(bytesAsText(body), { charset: contentType?.charset, wanted }),
    ),
    encode: compileFormEncode(service, "http-post"),
    encodeFault: formFault("http-post"),
  };
}
