import { bytesAsText } from "../../codec/decode-text.ts";
import { readFormFields } from "../../codec/form/fields.ts";
import type { Call, CallTarget, NamedService } from "../binding.ts";
import { compileFormDecode } from "../form.ts";
import type { HttpRequest } from "../http.ts";

/** Compiles the reading of calls whose parts are in a form; those in the query do not count (wire case `post-queryonly`). */
export function compileDecode(
  service: NamedService,
): (request: HttpRequest, target: CallTarget) => Call {
  return compileFormDecode(service, "http-post", ({ body, contentType }, wanted) =>
    readFormFields(bytesAsText(body), { charset: contentType?.charset, wanted }),
  );
}
