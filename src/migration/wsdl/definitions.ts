import { xsdNamespace } from "../../codec/xml/escape.ts";
import { attributeOf, type XmlElement } from "../../codec/xml/reader.ts";
import { type WsdlDocuments, wsdlNamespace } from "./documents.ts";
import { WsdlError } from "./wsdl-error.ts";

/** An element with what its names mean. */
export interface Scoped {
  readonly element: XmlElement;
  /** Namespaces by their prefixes; `""` is the default namespace. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly targetNamespace: string;
  /** Whether local elements of the schema are in its namespace. */
  readonly qualified: boolean;
}

/** A name with its namespace. */
export interface QualifiedName {
  readonly namespace: string;
  readonly name: string;
}

/** Named definitions of a WSDL and its schemas, wherever they are. */
export class Definitions {
  readonly services: readonly Scoped[];
  /** Of the WSDL that was named, not of its imports. */
  readonly targetNamespace: string;
  private readonly byName = new Map<string, Scoped>();
  private readonly documents: WsdlDocuments;

  constructor(documents: WsdlDocuments) {
    this.documents = documents;
    const top = { prefixes: new Map<string, string>(), targetNamespace: "", qualified: false };
    const roots = documents.roots.map((root) => scopeOf(root, top));
    this.targetNamespace = roots[0]?.targetNamespace ?? "";
    const definitions = roots.filter(({ element }) => element.name === "definitions");
    const types = definitions.flatMap((root) => childrenOf(root, wsdlNamespace, "types"));
    const schemas = [
      ...roots.filter(({ element }) => element.name === "schema"),
      ...types.flatMap((one) => childrenOf(one, xsdNamespace, "schema")),
    ];
    this.services = definitions.flatMap((root) => childrenOf(root, wsdlNamespace, "service"));
    for (const one of [...definitions, ...schemas].flatMap((root) => childrenOf(root))) {
      const { element, targetNamespace } = one;
      const name = attributeOf(element, "", "name");
      const key = keyOf(element.name, { namespace: targetNamespace, name: name ?? "" });
      if (name !== undefined && !this.byName.has(key)) this.byName.set(key, one);
      const id = Object.values(element.attributes).find(({ local }) => local === "Id")?.value;
      if (element.name === "Policy" && id !== undefined) this.byName.set(`Policy #${id}`, one);
    }
  }

  /** All definitions of a kind. */
  all(kind: string): readonly Scoped[] {
    return [...this.byName].flatMap(([key, one]) => (key.startsWith(`${kind} {`) ? one : []));
  }

  find(kind: string, name: QualifiedName): Scoped | undefined {
    return this.byName.get(keyOf(kind, name));
  }

  /** The policy of a reference such as `#name`. */
  findPolicy(reference: string): Scoped | undefined {
    return this.byName.get(`Policy ${reference}`);
  }

  /** @throws {WsdlError} when there is no such definition, with the imports that could not be read. */
  require(kind: string, name: QualifiedName, by: string): Scoped {
    const found = this.find(kind, name);
    if (found !== undefined) return found;
    const failed = this.documents.failedImports;
    const advice =
      failed.length === 0 ? "Is it truncated, or is an import not beside it?" : failed.join("\n");
    throw new WsdlError(
      `${this.documents.name} does not define ${kind} ${name.name} in ${name.namespace || "no namespace"}, which ${by} needs.\n${advice}`,
    );
  }
}

function keyOf(kind: string, { namespace, name }: QualifiedName): string {
  return `${kind} {${namespace}}${name}`;
}

/** An element within another, with the prefixes that it declares. */
function scopeOf(element: XmlElement, parent: Omit<Scoped, "element">): Scoped {
  const declared = Object.entries(element.attributes).flatMap(([key, { value }]) => {
    const prefix = /^xmlns(?::(.+))?$/.exec(key);
    return prefix === null ? [] : [[prefix[1] ?? "", value] as const];
  });
  const prefixes =
    declared.length === 0 ? parent.prefixes : new Map([...parent.prefixes, ...declared]);
  const isRoot = element.name === "schema" || element.name === "definitions";
  if (!isRoot) return { ...parent, element, prefixes };
  return {
    element,
    prefixes,
    targetNamespace: attributeOf(element, "", "targetNamespace") ?? "",
    qualified: attributeOf(element, "", "elementFormDefault") === "qualified",
  };
}

/** Elements directly below, of a name where one is given. */
export function childrenOf(parent: Scoped, namespace?: string, name?: string): readonly Scoped[] {
  return parent.element.children
    .filter(
      (child) =>
        (namespace === undefined || child.namespace === namespace) &&
        (name === undefined || child.name === name),
    )
    .map((child) => scopeOf(child, parent));
}

/** An attribute without a prefix; `""` if it is absent. */
export function textAt({ element }: Scoped, name: string): string {
  return (attributeOf(element, "", name) ?? "").trim();
}

/** The name that an attribute refers to, such as `tns:State`; undefined without the attribute. */
export function referenceOf(scoped: Scoped, attribute: string): QualifiedName | undefined {
  const value = textAt(scoped, attribute);
  if (value === "") return undefined;
  const [, prefix = "", name = value] = /^([^:]*):(.*)$/.exec(value) ?? [];
  return { namespace: scoped.prefixes.get(prefix) ?? "", name };
}
