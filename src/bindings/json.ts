import type { Binding, NamedService } from "./binding.ts";
import { acceptsJson } from "./json/accepts.ts";
import { compileDecode } from "./json/decode.ts";
import { compileEncode } from "./json/encode.ts";
import { encodeFault } from "./json/fault.ts";

/** JSON over HTTP (decision 0016). */
export function json(service: NamedService): Binding {
  return {
    name: "json",
    accepts: acceptsJson(service),
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault,
  };
}
