import type { Binding, NamedService } from "../binding.ts";
import { accepts } from "./accepts.ts";
import { compileDecode } from "./decode.ts";
import { compileEncode } from "./encode.ts";
import { encodeFault } from "./fault.ts";

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
