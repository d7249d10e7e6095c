import type { BindingName } from "../contract/bindings.ts";
import type { Binding, NamedService } from "./binding.ts";
import { httpGet } from "./http-get.ts";
import { httpPost } from "./http-post.ts";
import { json } from "./json.ts";
import { soap11 } from "./soap11.ts";
import { soap12 } from "./soap12.ts";

/** Makes a binding of a service by the name that the contract has for it. */
export const makeBinding: Readonly<Record<BindingName, (service: NamedService) => Binding>> = {
  soap11,
  soap12,
  "http-get": httpGet,
  "http-post": httpPost,
  json,
};
