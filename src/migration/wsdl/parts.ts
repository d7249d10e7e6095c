import { xsdNamespace } from "../../codec/xml/escape.ts";
import {
  childrenOf,
  type Definitions,
  type QualifiedName,
  referenceOf,
  type Scoped,
  textAt,
} from "./definitions.ts";
import { wsdlNamespace } from "./documents.ts";
import { WsdlError } from "./wsdl-error.ts";

/** A port, an operation, a message or a part of one: what a WSDL says of it, and what is below it. */
export interface WsdlNode {
  readonly kind: "port" | "operation" | "message" | "part";
  /** Of a port the title of its binding, such as `SOAP 1.1`; of a message `request` or `response`. */
  readonly name: string;
  /** By words for people. A fact that does not differ from its default is absent. */
  readonly facts: Readonly<Record<string, string>>;
  readonly children: readonly WsdlNode[];
}

/** Most parts of one message, since each type is followed wherever it is used; and how deep. */
const partsMax = 5_000;
const depthMax = 100;

/** Reads a message: the one element that a SOAP Body has, or several parts, or parts with types as over HTTP. */
export function readMessage(
  message: Scoped,
  name: string,
  own: WsdlNode["facts"],
  definitions: Definitions,
): WsdlNode {
  const reader = new PartReader(definitions);
  const stated = childrenOf(message, wsdlNamespace, "part");
  const parts = stated.map((part) => {
    const element = referenceOf(part, "element");
    return element === undefined
      ? reader.part(textAt(part, "name"), {}, reader.contentOf(referenceOf(part, "type")))
      : reader.referred(element);
  });
  const [body] = parts.length === 1 && stated.some((one) => textAt(one, "element")) ? parts : [];
  if (body === undefined) return { kind: "message", name, facts: own, children: parts };
  const facts = { ...body.facts, ...own, "element name": body.name };
  return { kind: "message", name, facts, children: body.children };
}

/** What an element has inside it. */
type Content = Pick<WsdlNode, "facts" | "children">;

const noContent: Content = { facts: { type: "an element with parts" }, children: [] };

class PartReader {
  private readonly definitions: Definitions;
  private count = 0;
  /** Types that are being read: one within itself has no parts there. */
  private readonly open = new Set<Scoped>();

  constructor(definitions: Definitions) {
    this.definitions = definitions;
  }

  part(name: string, facts: WsdlNode["facts"], content: Content): WsdlNode {
    if (++this.count > partsMax || this.open.size > depthMax) {
      throw new WsdlError(
        `A message has more than ${partsMax} parts, or types more than ${depthMax} deep. It cannot be compared.`,
      );
    }
    return {
      kind: "part",
      name,
      facts: { ...content.facts, ...facts },
      children: content.children,
    };
  }

  /** An element that is declared for the whole schema. */
  referred(name: QualifiedName): WsdlNode {
    return this.element(this.definitions.require("element", name, "a message"), "qualified");
  }

  private element(declared: Scoped, defaultForm: string): WsdlNode {
    const reference = referenceOf(declared, "ref");
    const occurs = {
      minOccurs: textAt(declared, "minOccurs") || "1",
      maxOccurs: textAt(declared, "maxOccurs") || "1",
    };
    if (reference !== undefined) {
      const { name, facts, children } = this.referred(reference);
      return this.part(name, { ...facts, ...occurs }, { facts: {}, children });
    }
    const isQualified = (textAt(declared, "form") || defaultForm) === "qualified";
    const facts = {
      namespace: isQualified ? declared.targetNamespace : "none (unqualified)",
      nillable: /^(?:true|1)$/.test(textAt(declared, "nillable")) ? "true" : "false",
      ...occurs,
    };
    const inline = childrenOf(declared, xsdNamespace).find(({ element }) =>
      /Type$/.test(element.name),
    );
    const content =
      inline === undefined
        ? this.contentOf(referenceOf(declared, "type"))
        : this.typeContent(inline);
    return this.part(textAt(declared, "name"), facts, content);
  }

  contentOf(type: QualifiedName | undefined): Content {
    const { name, namespace } = type ?? { name: "anyType", namespace: xsdNamespace };
    if (namespace === xsdNamespace) return { facts: { type: name }, children: [] };
    const complex = this.definitions.find("complexType", { name, namespace });
    if (complex === undefined) {
      const by = "a part of a message";
      return this.typeContent(this.definitions.require("simpleType", { name, namespace }, by));
    }
    const { facts, children } = this.typeContent(complex);
    return { facts: { ...facts, "type name": name }, children };
  }

  private typeContent(type: Scoped): Content {
    if (this.open.has(type)) return noContent;
    this.open.add(type);
    const content = childrenOf(type, xsdNamespace)
      .filter(({ element }) => element.name !== "annotation")
      .reduce((sum, child) => this.withChild(sum, child), noContent);
    this.open.delete(type);
    return content;
  }

  /** Adds what a child of a type says of its content. */
  private withChild(content: Content, child: Scoped): Content {
    const { facts, children } = content;
    const { name } = child.element;
    const base = () => this.contentOf(referenceOf(child, "base"));
    switch (name) {
      case "complexContent":
      case "simpleContent":
        return this.typeContent(child);
      case "extension":
        return childrenOf(child, xsdNamespace).reduce(
          (sum, one) => this.withChild(sum, one),
          base(),
        );
      case "restriction":
        return this.restricted(child, base());
      case "sequence":
      case "all":
      case "choice":
        return {
          facts: name === "sequence" ? facts : { ...facts, "content model": name },
          children: [...children, ...this.particles(child)],
        };
      default:
        return { facts, children: [...children, ...this.particle(child)] };
    }
  }

  /** A simple type with its values and other restrictions, or a complex type with its own parts. */
  private restricted(restriction: Scoped, base: Content): Content {
    const inside = childrenOf(restriction, xsdNamespace);
    if (base.children.length > 0)
      return inside.reduce((sum, one) => this.withChild(sum, one), noContent);
    const facets = inside.filter(({ element }) => "value" in element.attributes);
    const isValue = ({ element }: Scoped) => element.name === "enumeration";
    const values = facets
      .filter(isValue)
      .map((one) => textAt(one, "value"))
      .join(", ");
    const others = facets
      .filter((one) => !isValue(one))
      .map((one) => `${one.element.name} ${textAt(one, "value")}`)
      .toSorted()
      .join(", ");
    const facts = {
      ...(values === "" ? {} : { enumeration: values }),
      ...(others === "" ? {} : { restriction: others }),
    };
    return { facts: { ...base.facts, ...facts }, children: [] };
  }

  private particles(group: Scoped): readonly WsdlNode[] {
    return childrenOf(group, xsdNamespace).flatMap((child) => this.particle(child));
  }

  private particle(particle: Scoped): readonly WsdlNode[] {
    switch (particle.element.name) {
      case "element":
        return [this.element(particle, particle.qualified ? "qualified" : "unqualified")];
      case "sequence":
      case "all":
      case "choice":
        return this.particles(particle);
      case "annotation":
        return [];
      // Attributes, groups and wildcards: the stacks of the contract write none. They are parts without an inside.
      default: {
        const name = textAt(particle, "name") || textAt(particle, "ref");
        const facts = { minOccurs: textAt(particle, "use") === "required" ? "1" : "0" };
        return [this.part(`${particle.element.name} ${name}`.trim(), facts, noContent)];
      }
    }
  }
}
