import { bytesAsText } from "../codec/decode-text.ts";
import { readFormFields } from "../codec/form/fields.ts";
import type { Binding, NamedService } from "./binding.ts";
import { compileFormBinding } from "./form.ts";

/** Form posted to an operation's address (contract §4.2); a query is ignored (`post-queryonly`). */
export function httpPost(service: NamedService): Binding {
  return compileFormBinding(service, "http-post", ({ body, contentType }, wanted) =>
    readFormFields(bytesAsText(body), { charset: contentType?.charset, wanted }),
  );
}
