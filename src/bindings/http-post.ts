import { bytesAsText } from "../codec/decode-text.ts";
import { readFormFields } from "../codec/form/fields.ts";
import type { Binding, NamedService } from "./binding.ts";
import { compileFormBinding } from "./form.ts";

/** HTTP POST (contract §4.2): a POST of a form to an operation's address. Parts in the query are ignored (wire case `post-queryonly`). */
export function httpPost(service: NamedService): Binding {
  return compileFormBinding(service, "http-post", ({ body, contentType }, wanted) =>
    readFormFields(bytesAsText(body), { charset: contentType?.charset, wanted }),
  );
}
