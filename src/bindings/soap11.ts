import type { Binding, NamedService } from "./binding.ts";
import { accepts } from "./soap11/accepts.ts";
import { compileDecode } from "./soap11/decode.ts";
import { compileEncode } from "./soap11/encode.ts";
import { compileEncodeFault } from "./soap11/fault.ts";

/** SOAP 1.1 over HTTP (contract §4.2). */
export function soap11(service: NamedService): Binding {
  return {
    name: "soap11",
    accepts,
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault: compileEncodeFault(service),
  };
}
