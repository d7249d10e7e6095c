import type { Binding, NamedService } from "./binding.ts";
import { accepts } from "./http-get/accepts.ts";
import { compileDecode } from "./http-get/decode.ts";
import { compileEncode } from "./http-get/encode.ts";
import { encodeFault } from "./http-get/fault.ts";

/** HTTP GET (contract §4.2). */
export function httpGet(service: NamedService): Binding {
  return {
    name: "http-get",
    accepts,
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault,
  };
}
