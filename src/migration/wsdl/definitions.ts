import { attributeOf, type XmlElement } from "../../codec/xml/reader.ts";
import type { WsdlDocuments } from "./documents.ts";
import { WsdlError } from "./source.ts";

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
    const value = this.text(attribute);
    const [, prefix, name = value] = /^([^:]*):(.*)$/.exec(value) ?? [];
    return { namespace: this.#declared(prefix ? `xmlns:${prefix}` : "xmlns"), name };
  }

  #declared(prefix: string): string {
    const { value } = this.element.attributes[prefix] ?? {};
    if (value !== undefined || this.parent === undefined) return value ?? "";
    return this.parent.#declared(prefix);
  }

  /**
   * What an attribute refers to.
   *
   * @throws {WsdlError} when it is not defined, with the imports that could not be read.
   */
  follow(kind: Kind, attribute: string = kind): Definition {
    const { namespace, name } = this.reference(attribute);
    const found = this.#definitions.find(kind, namespace, name);
    if (found !== undefined) return found;
    const { name: document, failedImports } = this.#definitions.documents;
    const lines = [
      `${document} does not define ${kind} ${name} in ${namespace || "no namespace"}, which ${this.name} ${this.text("name")} needs.`,
      ...failedImports,
    ];
    if (failedImports.length === 0) lines.push("Is it truncated, or is an import not beside it?");
    throw new WsdlError(lines.join("\n"));
  }
}

/** What has a name to refer to. Complex and simple types share their names. */
type Kind = "service" | "binding" | "portType" | "message" | "element" | "type" | "Policy";

/** Named definitions of a WSDL and its schemas, wherever they are. */
export class Definitions {
  readonly documents: WsdlDocuments;
  readonly #byKey = new Map<string, Definition>();

  constructor(documents: WsdlDocuments) {
    this.documents = documents;
    const roots = documents.roots.map((root) => new Definition(root, this));
    const schemas = roots
      .flatMap((root) => root.children("types"))
      .flatMap((types) => types.children("schema"));
    for (const one of [...roots, ...schemas].flatMap((root) => root.children())) {
      const kind = one.name.replace(/^(?:complex|simple)Type$/, "type");
      // Policies of WCF have an Id.
      const name = one.text("name") || one.textInAny("Id");
      const key = keyOf(kind, one.textOfRoot("targetNamespace"), name);
      if (!this.#byKey.has(key)) this.#byKey.set(key, one);
    }
  }

  /** All definitions of a kind. */
  all(kind: Kind): readonly Definition[] {
    return [...this.#byKey.values()].filter(({ name }) => name === kind);
  }

  find(kind: Kind, namespace: string, name: string): Definition | undefined {
    return this.#byKey.get(keyOf(kind, namespace, name));
  }
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind} {${namespace}}${name}`;
}
