import type { BindingName } from "../contract/bindings.ts";
import type { Binding, NamedService } from "./binding.ts";
import { httpGet } from "./http-get/index.ts";
import { httpPost } from "./http-post/index.ts";
import { json } from "./json/index.ts";
import { soap11 } from "./soap11/index.ts";
import { soap12 } from "./soap12/index.ts";

/** Makes a binding of a service by the name that the contract has for it. */
export const makeBinding: Readonly<Record<BindingName, (service: NamedService) => Binding>> = {
  soap11,
  soap12,
  "http-get": httpGet,
  "http-post": httpPost,
  json,
};
