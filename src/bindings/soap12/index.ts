import type { Binding, NamedService } from "../binding.ts";
import { accepts } from "./accepts.ts";
import { compileDecode } from "./decode.ts";
import { compileEncode } from "./encode.ts";
import { compileEncodeFault } from "./fault.ts";

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
