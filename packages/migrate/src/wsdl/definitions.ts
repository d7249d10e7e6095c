import { attributeOf, type XmlElement } from "@wfh/server/codec/xml/reader.ts";
import { WsdlError } from "./documents.ts";

/** Kinds of definitions that others refer to by name; complex and simple types share theirs. */
type Kind = "service" | "binding" | "portType" | "message" | "element" | "type" | "Policy";

/** Definitions of a WSDL and its schemas by kind and name, wherever they are. */
export type Definitions = ReadonlyMap<string, Definition>;

/** An element of a WSDL or a schema, with what the names in its attributes mean. */
export class Definition {
  readonly element: XmlElement;
  readonly parent: Definition | undefined;
  readonly #definitions: Definitions;

  constructor(element: XmlElement, definitions: Definitions, parent?: Definition) {
    this.element = element;
    this.parent = parent;
    this.#definitions = definitions;
  }

  /** Local name of the element. */
  get name(): string {
    return this.element.name;
  }

  /** Elements directly below, of a local name where one is given. */
  children(name?: string): readonly Definition[] {
    return this.element.children
      .filter((child) => name === undefined || child.name === name)
      .map((child) => new Definition(child, this.#definitions, this));
  }

  /** An attribute without a prefix; `""` if it is absent. */
  text(attribute: string): string {
    return (attributeOf(this.element, "", attribute) ?? "").trim();
  }

  /** An attribute that has been in several namespaces; `""` if it is absent. */
  textInAny(attribute: string): string {
    const { attributes } = this.element;
    return Object.values(attributes).find(({ local }) => local === attribute)?.value ?? "";
  }

  /** An attribute of the schema or WSDL that the element is in; `""` if it is absent. */
  textOfRoot(attribute: "targetNamespace" | "elementFormDefault"): string {
    const isRoot = this.name === "schema" || this.parent === undefined;
    return isRoot ? this.text(attribute) : this.parent.textOfRoot(attribute);
  }

  /** The name that an attribute refers to, such as `tns:State`. */
  reference(attribute: string): { readonly namespace: string; readonly name: string } {
    const [, prefix, name = ""] = /^(?:([^:]*):)?(.*)$/.exec(this.text(attribute)) ?? [];
    return { namespace: this.#namespaceOf(prefix ? `xmlns:${prefix}` : "xmlns"), name };
  }

  #namespaceOf(declaration: string): string {
    const { value } = this.element.attributes[declaration] ?? {};
    if (value !== undefined || this.parent === undefined) return value ?? "";
    return this.parent.#namespaceOf(declaration);
  }

  /**
   * Finds the definition that an attribute refers to.
   *
   * @throws {WsdlError} when it is not defined.
   */
  follow(kind: Kind, attribute: string = kind): Definition {
    const { namespace, name } = this.reference(attribute);
    const found = this.#definitions.get(keyOf(kind, namespace, name));
    if (found !== undefined) return found;
    throw new WsdlError(
      `does not define ${kind} ${name} in ${namespace || "no namespace"}, which ${this.name} ${this.text("name")} needs. Is an import missing?`,
    );
  }
}

/** Finds the definitions of documents. Of several with one name, the first counts. */
export function findDefinitions(documents: readonly XmlElement[]): Definitions {
  const definitions = new Map<string, Definition>();
  const roots = documents.map((root) => new Definition(root, definitions));
  const types = roots.flatMap((root) => root.children("types"));
  const schemas = types.flatMap((one) => one.children("schema"));
  for (const one of [...roots, ...schemas].flatMap((root) => root.children())) {
    const kind = one.name.replace(/^(?:complex|simple)Type$/, "type");
    // Policies of WCF have an Id.
    const name = one.text("name") || one.textInAny("Id");
    const key = keyOf(kind, one.textOfRoot("targetNamespace"), name);
    if (!definitions.has(key)) definitions.set(key, one);
  }
  return definitions;
}

/** All definitions of a kind. */
export function definitionsOf(definitions: Definitions, kind: Kind): readonly Definition[] {
  return [...definitions.values()].filter(({ name }) => name === kind);
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind} {${namespace}}${name}`;
}
