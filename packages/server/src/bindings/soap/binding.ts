import type { Stack } from "../../contract/operation.ts";
import { acceptsAs, type Binding, type BindingOptions, type NamedService } from "../binding.ts";
import { asmx } from "./asmx.ts";
import { compileSoapDecode } from "./decode.ts";
import { compileSoapEncode, describeSoapRequest } from "./encode.ts";
import { compileSoapFault } from "./fault.ts";
import type { SoapStack } from "./stack.ts";
import type { SoapVersion } from "./versions.ts";
import { wcf } from "./wcf.ts";

const stacks: Readonly<Record<Stack, SoapStack>> = { asmx, wcf };

/**
 * Compiles one version of SOAP over HTTP for a service.
 *
 * @param accepted versions whose envelopes may come under the content type of this one.
 */
export function compileSoap(
  service: NamedService,
  version: SoapVersion,
  accepted: readonly SoapVersion[],
  { fastPath = true }: BindingOptions,
): Binding {
  const soap = { service, stack: stacks[service.contract.stack], version };
  return {
    name: version.binding,
    accepts: acceptsAs(version.binding),
    decode: compileSoapDecode(soap, accepted, fastPath),
    encode: compileSoapEncode(soap),
    encodeFault: compileSoapFault(soap),
    describeRequest: (operation) => describeSoapRequest(soap, operation),
  };
}
