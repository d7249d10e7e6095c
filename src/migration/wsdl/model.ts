import { bindings } from "../../contract/bindings.ts";
import { childrenOf, type Definitions, referenceOf, type Scoped, textAt } from "./definitions.ts";
import { wsdlNamespace } from "./documents.ts";
import { readMessage, type WsdlNode } from "./parts.ts";

/** A port, with what is not compared. */
export interface Port extends WsdlNode {
  readonly address: string;
  readonly portType: string;
}

const http = "http://schemas.xmlsoap.org/wsdl/http/";
const soap12 = "http://schemas.xmlsoap.org/wsdl/soap12/";
const overHttp =
  /^http:\/\/(?:schemas\.xmlsoap\.org\/soap\/http|www\.w3\.org\/2003\/05\/soap\/bindings\/HTTP)\/?$/;
const nameless = { namespace: "", name: "" };

/**
 * Reads the ports of all services.
 *
 * @param isKnown whether an operation is one of ours: only then are its messages read.
 * @throws {WsdlError} when a definition is missing.
 */
export function readPorts(
  definitions: Definitions,
  isKnown: (operation: string) => boolean,
): readonly Port[] {
  return definitions.services.flatMap((service) =>
    childrenOf(service, wsdlNamespace, "port").map((port) => {
      const by = `port ${textAt(port, "name")}`;
      const binding = definitions.require("binding", referenceOf(port, "binding") ?? nameless, by);
      const portType = definitions.require(
        "portType",
        referenceOf(binding, "type") ?? nameless,
        by,
      );
      const address = childrenOf(port).find(({ element }) => element.name === "address");
      const read = { binding, portType, definitions, isKnown };
      return {
        kind: "port",
        name: titleOf(binding),
        facts: {
          "service name": textAt(service, "name"),
          "port name": textAt(port, "name"),
          ...joined("policy", assertionsOf(binding, definitions)),
        },
        children: operationsOf(binding).map((operation) => readOperation(operation, read)),
        address: address === undefined ? "" : textAt(address, "location"),
        portType: textAt(portType, "name"),
      };
    }),
  );
}

/** Operations of a portType or a binding. */
export function operationsOf(parent: Scoped): readonly Scoped[] {
  return childrenOf(parent, wsdlNamespace, "operation");
}

/** Title of our binding; the transport where we have none. */
function titleOf(binding: Scoped): string {
  const inside = [binding, ...operationsOf(binding)].flatMap((one) => childrenOf(one));
  const own = inside.find(({ element }) => element.name === "binding");
  const uses = (namespace: string) => inside.some(({ element }) => element.namespace === namespace);
  if (own === undefined) return "an unknown transport";
  if (uses(http)) return `HTTP ${textAt(own, "verb")}`;
  const transport = textAt(own, "transport");
  if (!overHttp.test(transport)) return transport;
  // Mono writes the binding of SOAP 1.2 in the namespace of SOAP 1.1, but not its operations.
  return bindings[uses(soap12) ? "soap12" : "soap11"].title;
}

/** Local names of the assertions of a binding's policies, such as `TransportBinding`. */
function assertionsOf(binding: Scoped, definitions: Definitions): readonly string[] {
  const namesIn = (scoped: Scoped): readonly string[] =>
    childrenOf(scoped).flatMap((child) =>
      /^(?:All|ExactlyOne|Policy)$/.test(child.element.name) ? namesIn(child) : child.element.name,
    );
  return childrenOf(binding)
    .filter(({ element }) => element.name === "PolicyReference")
    .flatMap((one) => definitions.findPolicy(textAt(one, "URI")) ?? [])
    .flatMap(namesIn);
}

/** Where the rest of an operation is. */
interface OperationContext {
  readonly binding: Scoped;
  readonly portType: Scoped;
  readonly definitions: Definitions;
  readonly isKnown: (operation: string) => boolean;
}

function readOperation(operation: Scoped, context: OperationContext): WsdlNode {
  const { binding, portType, definitions, isKnown } = context;
  const name = textAt(operation, "name");
  const declared = operationsOf(portType).find((one) => textAt(one, "name") === name);
  const extensionOf = (parent: Scoped, local: string) =>
    childrenOf(parent).find(
      ({ element }) => element.name === local && element.namespace !== wsdlNamespace,
    );
  const own = extensionOf(operation, "operation");
  const isHttp = own?.element.namespace === http;
  const styles = [own, extensionOf(binding, "binding")].flatMap(
    (one) => (one && textAt(one, "style")) || [],
  );
  const inside = (direction: string) =>
    childrenOf(operation, wsdlNamespace, direction).flatMap((one) => childrenOf(one));
  const details = [...inside("input"), ...inside("output")];
  const namesOf = (nodes: readonly Scoped[], local: string, key: string) =>
    nodes.flatMap((one) => (one.element.name === local ? textAt(one, key) || [] : []));
  const uses = [...new Set(namesOf(details, "body", "use"))].join(" and ") || "literal";
  const facts = isHttp
    ? { path: textAt(own, "location") }
    : {
        "SOAP action": own === undefined ? "" : textAt(own, "soapAction"),
        style: `${styles[0] ?? "document"}/${uses}`,
      };
  const declarations = declared === undefined ? [] : childrenOf(declared, wsdlNamespace);
  return {
    kind: "operation",
    name,
    facts: {
      ...facts,
      ...joined("fault", namesOf(declarations, "fault", "name")),
      ...joined("SOAP header", namesOf(details, "header", "part")),
    },
    children: declarations.flatMap((stated) => {
      const direction = stated.element.name;
      if ((direction !== "input" && direction !== "output") || !isKnown(name)) return [];
      const [form] = isHttp ? inside(direction) : [];
      const message = referenceOf(stated, "message") ?? nameless;
      return readMessage(
        definitions.require("message", message, `operation ${name}`),
        direction === "input" ? "request" : "response",
        {
          ...(form === undefined ? {} : { form: textAt(form, "type") || form.element.name }),
          ...joined("WS-Addressing action", actionsOf(stated)),
        },
        definitions,
      );
    }),
  };
}

/** The action that WCF states at a message, in one of the namespaces of WS-Addressing. */
function actionsOf({ element }: Scoped): readonly string[] {
  return Object.values(element.attributes).flatMap(({ local, value }) =>
    local === "Action" ? value : [],
  );
}

function joined(fact: string, names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0 ? {} : { [fact]: [...new Set(names)].join(", ") };
}
