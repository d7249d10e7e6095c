import type { Binding, NamedService } from "../binding.ts";
import { accepts } from "./accepts.ts";
import { compileDecode } from "./decode.ts";
import { compileEncode } from "./encode.ts";
import { encodeFault } from "./fault.ts";

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
