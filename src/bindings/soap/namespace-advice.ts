import type { XmlElement } from "../../codec/xml/element.ts";
import type { Stack } from "../../contract/operation.ts";
import type { NamedService } from "../binding.ts";
import type { Refusal } from "./stack.ts";

/** The setting of the namespace of a service. */
const settings: Readonly<Record<Stack, string>> = {
  asmx: "WFH_LOCATION_NAMESPACE",
  wcf: "WFH_ENDPOINT_NAMESPACE",
};

/** Namespaces that the settings take, up to a length that is no attack; that of ASMX ends with a slash. */
const settable: Readonly<Record<Stack, RegExp>> = {
  asmx: /^[a-zA-Z][a-zA-Z0-9+.-]*:[!#-%(-;=?-~]{0,200}\/$/,
  wcf: /^[a-zA-Z][a-zA-Z0-9+.-]*:[!#-%(-;=?-~]{1,200}$/,
};

/**
 * A refusal whose hint says what to set, where the call names an operation of the service in another namespace than it is
 * set to.
 *
 * @param element the first element of the Body.
 */
export function withNamespaceAdvice(
  refusal: Refusal,
  { contract, namespace }: NamedService,
  element: XmlElement | undefined,
  action: string | undefined,
): Refusal {
  const { stack, operations } = contract;
  const isNamed = element !== undefined && Object.hasOwn(operations, element.name);
  const known = isNamed && element.namespace !== "" ? element.namespace : actionBase(action);
  if (known === namespace || !settable[stack].test(known)) return refusal;
  const hint = `${refusal.hint}; the clients know another namespace: set ${settings[stack]}=${known}`;
  return { ...refusal, hint };

  /** What an action has before its operation; of WCF the namespace cannot be told by that. */
  function actionBase(text = ""): string {
    const [, base = "", name = ""] = /^(.*\/)([^/]*)$/.exec(text) ?? [];
    return stack === "asmx" && Object.hasOwn(operations, name) ? base : namespace;
  }
}
