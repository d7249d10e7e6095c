import { readFormFields } from "../codec/form/fields.ts";
import type { Binding, NamedService } from "./binding.ts";
import { compileFormBinding } from "./form.ts";

/** HTTP GET (contract §4.2): a GET of an operation's address with the parts in the query. */
export function httpGet(service: NamedService): Binding {
  return compileFormBinding(service, "http-get", ({ query }, wanted) =>
    readFormFields(query, { wanted }),
  );
}
