import type { Binding, NamedService } from "../binding.ts";
import { accepts } from "./accepts.ts";
import { compileDecode } from "./decode.ts";
import { compileEncode } from "./encode.ts";
import { compileEncodeFault } from "./fault.ts";

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
