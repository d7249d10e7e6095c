import type { XmlElement } from "../../codec/xml/element.ts";

/** An element for people: its name and its namespace. */
export function describeElement({ name, namespace }: XmlElement): string {
  return `${name} in ${namespace === "" ? "no namespace" : `namespace ${cutNamespace(namespace)}`}`;
}

/** Most of a namespace that a message repeats, in UTF-16 units; names are limited by the reader. */
const namespaceMax = 200;

/** A namespace as messages repeat it. */
export function cutNamespace(namespace: string): string {
  return namespace.slice(0, namespaceMax);
}
