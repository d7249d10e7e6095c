import type { Binding, NamedService } from "./binding.ts";
import { accepts } from "./soap12/accepts.ts";
import { compileDecode } from "./soap12/decode.ts";
import { compileEncode } from "./soap12/encode.ts";
import { compileEncodeFault } from "./soap12/fault.ts";

/** SOAP 1.2 over HTTP (contract §4.2). */
export function soap12(service: NamedService): Binding {
  return {
    name: "soap12",
    accepts,
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault: compileEncodeFault(service),
  };
}
