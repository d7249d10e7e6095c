import type { Stack } from "../../contract/operation.ts";
import type { NamedService } from "../binding.ts";
import { asmx } from "./asmx.ts";
import type { SoapStack } from "./stack.ts";
import { wcf } from "./wcf.ts";

const stacks: Readonly<Record<Stack, SoapStack>> = { asmx, wcf };

/** The stack whose wire a service keeps. */
export function stackOf(service: NamedService): SoapStack {
  return stacks[service.contract.stack];
}
