import { xsdNamespace } from "../../codec/xml/escape.ts";
import type { XmlElement } from "../../codec/xml/reader.ts";
import { bindings } from "../../contract/bindings.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { type Definition, type Definitions, definitionsOf } from "./definitions.ts";
import { WsdlError } from "./documents.ts";

/** What a WSDL says of a service, a port, an operation, a message or a part, and of what is in it. */
export interface Facts {
  /** By words for people. An empty text is the same as none. */
  readonly own: Record<string, string>;
  /** Ports by their bindings, operations, `request` and `response`, or parts in their order. */
  readonly inside: Map<string, Facts>;
}

/** Most parts of a WSDL, since each type is followed wherever it is used; and most types in types. */
const partsMax = 5_000;
const depthMax = 100;

const http = "http://schemas.xmlsoap.org/wsdl/http/";
const soap12 = "http://schemas.xmlsoap.org/wsdl/soap12/";
const overHttp =
  /^http:\/\/(?:schemas\.xmlsoap\.org\/soap\/http|www\.w3\.org\/2003\/05\/soap\/bindings\/HTTP)\/?$/;

/** Reads what a WSDL says of a service of ours. */
export class ServiceReader {
  readonly facts = newFacts();
  /** Where the service is, by the names of its ports. */
  readonly addresses: Record<string, string> = {};
  /** Of the elements of requests; undefined over HTTP GET and POST, which have none. */
  namespace: string | undefined;
  readonly #definitions: Definitions;
  readonly #known: ReadonlySet<string>;
  #parts = 0;
  /** Types that are being read: one within itself has no parts there. */
  readonly #open = new Set<XmlElement>();

  /**
   * Ports of services that are not ours are only named.
   *
   * @param known operations of all services of ours: of others, messages are not read.
   * @throws {WsdlError} when a definition is missing.
   */
  constructor(
    definitions: Definitions,
    { operations }: ServiceContract,
    known: ReadonlySet<string>,
  ) {
    this.#definitions = definitions;
    this.#known = known;
    const services = definitionsOf(definitions, "service");
    for (const port of services.flatMap((one) => one.children("port"))) {
      const binding = port.follow("binding");
      const portType = binding.follow("portType", "type");
      const names = binding.children("operation").map((one) => one.text("name"));
      if (names.some((name) => Object.hasOwn(operations, name))) {
        this.addresses[port.text("name")] = port.children("address")[0]?.text("location") ?? "";
        this.#readPort(inside(this.facts, titleOf(binding)), port, binding, portType);
      } else if (!names.some((name) => known.has(name))) {
        const name = portType.text("name");
        if (name !== "IMetadataExchange") inside(this.facts, `${titleOf(binding)} for ${name}`);
      }
    }
  }

  #readPort(facts: Facts, port: Definition, binding: Definition, portType: Definition): void {
    add(facts, "service name", port.parent?.text("name"));
    add(facts, "port name", port.text("name"));
    for (const name of this.#assertionsOf(binding)) add(facts, "policy", name);
    for (const operation of binding.children("operation")) {
      const name = operation.text("name");
      const declared = portType.children("operation").find((one) => one.text("name") === name);
      this.#readOperation(inside(facts, name), operation, declared);
    }
  }

  /** Local names of the assertions of a binding's policies, such as `TransportBinding`. */
  #assertionsOf(binding: Definition): readonly string[] {
    const namesIn = (policy: Definition): readonly string[] =>
      policy
        .children()
        .flatMap((one) => (/^(?:All|ExactlyOne|Policy)$/.test(one.name) ? namesIn(one) : one.name));
    const references = binding.children("PolicyReference").map((one) => one.text("URI"));
    const referenced = definitionsOf(this.#definitions, "Policy").filter((policy) =>
      references.includes(`#${policy.textInAny("Id")}`),
    );
    return [...binding.children("Policy"), ...referenced].flatMap(namesIn);
  }

  /** @param declared the operation of the portType. */
  #readOperation(facts: Facts, operation: Definition, declared: Definition | undefined): void {
    readExtensions(facts, operation);
    for (const fault of declared?.children("fault") ?? []) add(facts, "fault", fault.text("name"));
    if (!this.#known.has(operation.text("name"))) return;
    for (const direction of ["input", "output"] as const) {
      const [stated] = declared?.children(direction) ?? [];
      if (stated === undefined) continue;
      const message = inside(facts, direction === "input" ? "request" : "response");
      const [form] = "path" in facts.own ? detailsOf(operation, direction) : [];
      message.own["form"] = form?.text("type") || form?.name || "";
      // WCF states it in one of the namespaces of WS-Addressing.
      message.own["WS-Addressing action"] = stated.textInAny("Action");
      this.#readMessage(message, stated.follow("message").children("part"));
      if (direction === "input") this.namespace ??= message.own["namespace"];
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
      facts.own["element name"] = name;
      this.#readElement(facts, element, true);
    }
  }

  #addPart(parent: Facts, name: string): Facts {
    this.#parts += 1;
    return inside(parent, name);
  }

  #readElement(facts: Facts, declared: Definition, isQualified: boolean): void {
    const { own } = facts;
    own["namespace"] = isQualified ? declared.textOfRoot("targetNamespace") : "none (unqualified)";
    own["nillable"] = /^(?:true|1)$/.test(declared.text("nillable")) ? "true" : "false";
    const inline = declared.children().find(({ name }) => /Type$/.test(name));
    if (inline === undefined) this.#readType(facts, declared, "type");
    else this.#readContent(facts, inline);
  }

  /** Reads the type that an attribute refers to. */
  #readType(facts: Facts, by: Definition, attribute: "type" | "base"): void {
    const { name, namespace } = by.reference(attribute);
    if (name === "" || namespace === xsdNamespace) {
      facts.own["type"] = name || "anyType";
      return;
    }
    const type = by.follow("type", attribute);
    this.#readContent(facts, type);
    if (type.name === "complexType") facts.own["type name"] = name;
  }

  #readContent(facts: Facts, type: Definition): void {
    facts.own["type"] = "an element with parts";
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
      const { name, element } = particle;
      if (name === "element") this.#readParticle(facts, particle);
      else if (/^(?:sequence|all|choice|\w+Content|extension|restriction)$/.test(name)) {
        this.#readGroup(facts, particle, parent.name);
      } else if (name === "enumeration") add(facts, name, particle.text("value"));
      else if ("value" in element.attributes) {
        add(facts, "restriction", `${name} ${particle.text("value")}`);
      } else if (name !== "annotation") {
        // Attributes, groups and wildcards: the stacks of the contract write none.
        const title = particle.text("name") || particle.text("ref");
        const { own } = this.#addPart(facts, `${name} ${title}`.trim());
        own["minOccurs"] = particle.text("use") === "required" ? "1" : "0";
      }
    }
  }

  #readGroup(facts: Facts, group: Definition, parent: string): void {
    const { name } = group;
    // A restriction of a complex type states all its parts again.
    const hasBase = name === "extension" || (name === "restriction" && parent !== "complexContent");
    if (hasBase) this.#readType(facts, group, "base");
    if (name === "all" || name === "choice") facts.own["content model"] = name;
    this.#readParticles(facts, group);
  }

  /** Reads an element within a type. */
  #readParticle(parent: Facts, particle: Definition): void {
    const isReference = particle.text("ref") !== "";
    const declared = isReference ? particle.follow("element", "ref") : particle;
    const form = particle.text("form") || particle.textOfRoot("elementFormDefault");
    const facts = this.#addPart(parent, declared.text("name"));
    this.#readElement(facts, declared, isReference || form === "qualified");
    for (const limit of ["minOccurs", "maxOccurs"]) facts.own[limit] = particle.text(limit) || "1";
  }
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

/** Reads what a binding says of an operation. */
function readExtensions(facts: Facts, operation: Definition): void {
  const [own] = operation.children("operation");
  if (own?.element.namespace === http) {
    facts.own["path"] = own.text("location");
    return;
  }
  const [binding] = operation.parent?.children("binding") ?? [];
  const style = own?.text("style") || binding?.text("style") || "document";
  facts.own["SOAP action"] = own?.text("soapAction") ?? "";
  for (const detail of [...detailsOf(operation, "input"), ...detailsOf(operation, "output")]) {
    if (detail.name === "header") add(facts, "SOAP header", detail.text("part"));
    if (detail.name === "body") add(facts, "style", `${style}/${detail.text("use") || "literal"}`);
  }
}

/** What a binding says of the request or response of an operation. */
function detailsOf(operation: Definition, direction: "input" | "output"): readonly Definition[] {
  return operation.children(direction).flatMap((one) => one.children());
}

function newFacts(): Facts {
  return { own: {}, inside: new Map() };
}

/** The facts of a name within others; new ones where there are none yet. */
function inside(parent: Facts, name: string): Facts {
  const facts = parent.inside.get(name) ?? newFacts();
  parent.inside.set(name, facts);
  return facts;
}

/** Adds a text to those of a fact. */
function add({ own }: Facts, what: string, text = ""): void {
  const texts = own[what]?.split(", ") ?? [];
  if (text !== "" && !texts.includes(text)) own[what] = [...texts, text].join(", ");
}
