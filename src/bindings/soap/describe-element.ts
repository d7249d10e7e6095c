import type { XmlElement } from "../../codec/xml-reader.ts";

/** An element for people: its name and its namespace. */
export function describeElement({ name, namespace }: XmlElement): string {
  return `${name} in ${namespace === "" ? "no namespace" : `namespace ${namespace}`}`;
}
