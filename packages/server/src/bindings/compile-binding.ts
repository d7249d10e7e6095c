import type { BindingName } from "../contract/bindings.ts";
import type { Binding, BindingOptions, NamedService } from "./binding.ts";
import { httpGet } from "./http-get.ts";
import { httpPost } from "./http-post.ts";
import { json } from "./json.ts";
import { soap11 } from "./soap11.ts";
import { soap12 } from "./soap12.ts";

/** Compiles a binding for a service, by the name that the contract has for it. */
export const compileBinding: Readonly<
  Record<BindingName, (service: NamedService, options?: BindingOptions) => Binding>
> = { soap11, soap12, "http-get": httpGet, "http-post": httpPost, json };
