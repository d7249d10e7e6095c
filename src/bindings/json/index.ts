import type { Binding, NamedService } from "../binding.ts";
import { acceptsJson } from "./accepts.ts";
import { compileDecode } from "./decode.ts";
import { compileEncode } from "./encode.ts";
import { encodeFault } from "./fault.ts";

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
