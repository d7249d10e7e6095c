import { readFormFields } from "../../codec/form/fields.ts";
import type { Call, CallTarget, NamedService } from "../binding.ts";
import { compileFormDecode } from "../form.ts";
import type { HttpRequest } from "../http.ts";

/** Compiles the reading of calls whose parts are in the query. */
export function compileDecode(
  service: NamedService,
): (request: HttpRequest, target: CallTarget) => Call {
  return compileFormDecode(service, "http-get", ({ query }, wanted) =>
    readFormFields(query, { wanted }),
  );
}
