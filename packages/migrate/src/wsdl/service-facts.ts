import { xsdNamespace } from "@wfh/server/codec/xml/escape.ts";
import type { XmlElement } from "@wfh/server/codec/xml/reader.ts";
import { bindings } from "@wfh/server/contract/bindings.ts";
import type { ServiceContract } from "@wfh/server/contract/operation.ts";
import { type Definition, type Definitions, definitionsOf } from "./definitions.ts";
import { WsdlError } from "./documents.ts";

/** Statements of a WSDL about a service, a port, an operation, a message or a part. */
export class Facts {
  /** By words for people. */
  readonly own = new Map<string, string>();
  /** Ports by their bindings, operations, `request` and `response`, or parts in their order. */
  readonly inside = new Map<string, Facts>();

  /** The facts of a name inside; new ones at the first call. */
  at(name: string): Facts {
    const facts = this.inside.get(name) ?? new Facts();
    this.inside.set(name, facts);
    return facts;
  }

  /** States a fact, unless its text is empty. */
  state(what: string, text: string): void {
    if (text !== "") this.own.set(what, text);
  }

  /** Adds a text to those of a fact. */
  add(what: string, text = ""): void {
    const texts = this.own.get(what)?.split(", ") ?? [];
    if (!texts.includes(text)) this.state(what, [...texts, text].join(", "));
  }
}

const http = "http://schemas.xmlsoap.org/wsdl/http/";
const soap12 = "http://schemas.xmlsoap.org/wsdl/soap12/";
const overHttp =
  /^http:\/\/(?:schemas\.xmlsoap\.org\/soap\/http|www\.w3\.org\/2003\/05\/soap\/bindings\/HTTP)\/?$/;

/**
 * Reads what a WSDL says of a service of ours. Ports of services that are not ours are only named.
 *
 * @param known operations of all services of ours: of others, messages are not read.
 * @throws {WsdlError} when a definition is missing.
 */
export function readService(
  definitions: Definitions,
  { operations }: ServiceContract,
  known: ReadonlySet<string>,
) {
  const facts = new Facts();
  const addresses: string[] = [];
  const messages = new MessageReader();
  const readOperations = (ofPort: Facts, binding: Definition, portType: Definition) => {
    for (const operation of binding.children("operation")) {
      const name = operation.text("name");
      const declared = portType.children("operation").find((one) => one.text("name") === name);
      readOperation(ofPort.at(name), operation, declared);
      if (known.has(name)) messages.read(ofPort.at(name), operation, declared);
    }
  };
  const services = definitionsOf(definitions, "service");
  for (const port of services.flatMap((one) => one.children("port"))) {
    const binding = port.follow("binding");
    const portType = binding.follow("portType", "type");
    const names = binding.children("operation").map((one) => one.text("name"));
    if (names.some((name) => Object.hasOwn(operations, name))) {
      addresses.push(port.children("address")[0]?.text("location") ?? "");
      const ofPort = facts.at(titleOf(binding));
      ofPort.add("service name", port.parent?.text("name"));
      ofPort.add("port name", port.text("name"));
      for (const name of policiesOf(binding, definitions)) ofPort.add("policy", name);
      readOperations(ofPort, binding, portType);
    } else if (!names.some((name) => known.has(name))) {
      const name = portType.text("name");
      if (name !== "IMetadataExchange") facts.at(`${titleOf(binding)} for ${name}`);
    }
  }
  return { facts, addresses, namespace: messages.namespace };
}

/** Title of our binding; the transport where we have none. */
function titleOf(binding: Definition): string {
  const [own] = binding.children("binding");
  if (own === undefined) return "an unknown transport";
  if (own.element.namespace === http) return `HTTP ${own.text("verb")}`;
  const transport = own.text("transport");
  if (!overHttp.test(transport)) return transport;
  // Mono writes the binding of SOAP 1.2 in the namespace of SOAP 1.1, but not its operations.
  const operations = binding.children("operation").flatMap((one) => one.children("operation"));
  const isSoap12 = [own, ...operations].some(({ element }) => element.namespace === soap12);
  return bindings[isSoap12 ? "soap12" : "soap11"].title;
}

/** Local names of the assertions of a binding's policies, such as `TransportBinding`. */
function policiesOf(binding: Definition, definitions: Definitions): readonly string[] {
  const namesIn = (policy: Definition): readonly string[] =>
    policy
      .children()
      .flatMap((one) => (/^(?:All|ExactlyOne|Policy)$/.test(one.name) ? namesIn(one) : one.name));
  const references = binding.children("PolicyReference").map((one) => one.text("URI"));
  const referenced = definitionsOf(definitions, "Policy").filter((policy) =>
    references.includes(`#${policy.textInAny("Id")}`),
  );
  return [...binding.children("Policy"), ...referenced].flatMap(namesIn);
}

/** Reads what a binding says of an operation, and the faults that the portType declares. */
function readOperation(facts: Facts, operation: Definition, declared: Definition | undefined) {
  for (const fault of declared?.children("fault") ?? []) facts.add("fault", fault.text("name"));
  const [own] = operation.children("operation");
  const isSoap = own?.element.namespace !== http;
  if (!isSoap) facts.state("path", own.text("location"));
  const [binding] = operation.parent?.children("binding") ?? [];
  const style = own?.text("style") || binding?.text("style") || "document";
  facts.state("SOAP action", own?.text("soapAction") ?? "");
  const messages = [...operation.children("input"), ...operation.children("output")];
  for (const detail of isSoap ? messages.flatMap((one) => one.children()) : []) {
    if (detail.name === "header") facts.add("SOAP header", detail.text("part"));
    if (detail.name === "body") facts.add("style", `${style}/${detail.text("use") || "literal"}`);
  }
}

/** Most parts of a WSDL, where each type is followed wherever it is used. */
const partsMax = 5_000;
const depthMax = 100;

/** Reads messages with their parts, and the types of these. */
class MessageReader {
  /** Of the elements of requests; undefined over HTTP GET and POST, which have none. */
  namespace: string | undefined;
  #parts = 0;
  /** Types that are being read: one within itself has no parts there. */
  readonly #open = new Set<XmlElement>();

  /**
   * Reads the messages of an operation.
   *
   * @param operation that of the binding; the declared one is that of the portType.
   */
  read(facts: Facts, operation: Definition, declared: Definition | undefined): void {
    for (const direction of ["input", "output"] as const) {
      const [stated] = declared?.children(direction) ?? [];
      if (stated === undefined) continue;
      const message = facts.at(direction === "input" ? "request" : "response");
      const [form] = facts.own.has("path")
        ? operation.children(direction).flatMap((one) => one.children())
        : [];
      message.state("form", form?.text("type") || form?.name || "");
      // WCF states it in one of the namespaces of WS-Addressing.
      message.state("WS-Addressing action", stated.textInAny("Action"));
      this.#readMessage(message, stated.follow("message").children("part"));
      if (direction === "input") this.namespace ??= message.own.get("namespace");
    }
  }

  /** The one element that a SOAP Body has, or several, or parts with types as over HTTP. */
  #readMessage(message: Facts, parts: readonly Definition[]): void {
    for (const part of parts) {
      if (part.text("element") === "") {
        this.#readType(this.#addPart(message, part.text("name")), part, "type");
        continue;
      }
      const element = part.follow("element");
      const name = element.text("name");
      const facts = parts.length === 1 ? message : this.#addPart(message, name);
      facts.state("element name", name);
      this.#readElement(facts, element, true);
    }
  }

  #addPart(parent: Facts, name: string): Facts {
    this.#parts += 1;
    return parent.at(name);
  }

  #readElement(facts: Facts, declared: Definition, isQualified: boolean): void {
    const namespace = declared.textOfRoot("targetNamespace");
    facts.state("namespace", isQualified ? namespace : "none (unqualified)");
    const isNillable = /^(?:true|1)$/.test(declared.text("nillable"));
    facts.state("nillable", String(isNillable));
    const inline = declared.children().find(({ name }) => /Type$/.test(name));
    if (inline === undefined) this.#readType(facts, declared, "type");
    else this.#readContent(facts, inline);
  }

  /** Reads the type that an attribute refers to. */
  #readType(facts: Facts, by: Definition, attribute: "type" | "base"): void {
    const { name, namespace } = by.reference(attribute);
    if (name === "" || namespace === xsdNamespace) {
      facts.state("type", name || "anyType");
      return;
    }
    const type = by.follow("type", attribute);
    this.#readContent(facts, type);
    if (type.name === "complexType") facts.state("type name", name);
  }

  #readContent(facts: Facts, type: Definition): void {
    facts.state("type", "an element with parts");
    if (this.#open.has(type.element)) return;
    if (this.#parts > partsMax || this.#open.size > depthMax) {
      throw new WsdlError(
        `has messages with more than ${partsMax} parts, or types more than ${depthMax} deep.`,
      );
    }
    this.#open.add(type.element);
    this.#readParticles(facts, type);
    this.#open.delete(type.element);
  }

  /** Reads what is directly in a type, or in a group of its parts. */
  #readParticles(facts: Facts, parent: Definition): void {
    for (const particle of parent.children()) {
      const { name } = particle;
      if (name === "element") this.#readParticle(facts, particle);
      else if (/^(?:sequence|all|choice|\w+Content|extension|restriction)$/.test(name)) {
        this.#readGroup(facts, particle);
      } else if ("value" in particle.element.attributes) {
        facts.add("restriction", `${name} ${particle.text("value")}`);
      } else if (name !== "annotation") {
        // An attribute, a group or a wildcard: the stacks of the contract write none.
        this.#addPart(facts, `${name} ${particle.text("name")}${particle.text("ref")}`.trim());
      }
    }
  }

  #readGroup(facts: Facts, group: Definition): void {
    const { name } = group;
    // A restriction of a complex type states all its parts again.
    const isWhole = name === "restriction" && group.parent?.name === "complexContent";
    if (group.text("base") !== "" && !isWhole) this.#readType(facts, group, "base");
    if (name === "all" || name === "choice") facts.state("content model", name);
    this.#readParticles(facts, group);
  }

  /** Reads an element within a type. */
  #readParticle(parent: Facts, particle: Definition): void {
    const isReference = particle.text("ref") !== "";
    const declared = isReference ? particle.follow("element", "ref") : particle;
    const form = particle.text("form") || particle.textOfRoot("elementFormDefault");
    const facts = this.#addPart(parent, declared.text("name"));
    this.#readElement(facts, declared, isReference || form === "qualified");
    for (const limit of ["minOccurs", "maxOccurs"]) facts.state(limit, particle.text(limit) || "1");
  }
}
