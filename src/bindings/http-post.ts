import type { Binding, NamedService } from "./binding.ts";
import { accepts } from "./http-post/accepts.ts";
import { compileDecode } from "./http-post/decode.ts";
import { compileEncode } from "./http-post/encode.ts";
import { encodeFault } from "./http-post/fault.ts";

/** HTTP POST (contract §4.2). */
export function httpPost(service: NamedService): Binding {
  return {
    name: "http-post",
    accepts,
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault,
  };
}
