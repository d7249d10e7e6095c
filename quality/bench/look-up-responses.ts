import { xsiNamespace } from "../../src/codec/xml/escape.ts";
import { attributeOf, createXmlReader, type XmlElement } from "../../src/codec/xml/reader.ts";
import { bindings } from "../../src/contract/bindings.ts";
import { PlaceLookup } from "../../src/domain/location/lookup.ts";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../../src/gazetteer/format/reader.ts";
import { toLocationResult } from "../../src/operations/location.ts";
import type { LookUpBinding } from "./workload.ts";

const namespace = "http://tempuri.org/";
const operation = "PostalCodeToCityState";

const location = new PlaceLookup(openGazetteer(builtInGazetteer), ["US", "CA"]);

/**
 * Compares a response of any server with what our data has, every member of it, in their order.
 *
 * @throws {Error} when it is no well-formed response of the binding, or a member differs; the message has both.
 */
export function checkResponse(binding: LookUpBinding, postalCode: string, text: string): void {
  const found = JSON.stringify(binding === "json" ? membersOf(text) : elementsOf(binding, text));
  const expected = JSON.stringify(expectedFor(binding, postalCode));
  if (found !== expected) throw new Error(`${found} instead of ${expected}`);
}

/** In JSON with its own types, in XML every value as text. Over SOAP the continent is nil (decision 0008). */
function expectedFor(binding: LookUpBinding, postalCode: string): unknown {
  const place = location.findPlace(postalCode);
  if (place === undefined) throw new Error(`There is no postal code ${postalCode}`);
  const isNil = bindings[binding].resultAs === "result-element";
  return JSON.parse(JSON.stringify(toLocationResult(place)), (name, value) => {
    if (isNil && name === "Continent") return null;
    return binding === "json" || typeof value === "object" ? value : String(value);
  });
}

function membersOf(text: string): unknown {
  return (JSON.parse(text) as { readonly d: unknown }).d;
}

/** Stricter than any server: what is read here is a namespace-well-formed document. */
const parse = createXmlReader();

function elementsOf(binding: LookUpBinding, text: string): unknown {
  const root = parse(text);
  if (bindings[binding].resultAs === "root-element") {
    return readValue(expectName(root, namespace, "LocationUIHelperResponse"));
  }
  const envelope =
    binding === "soap12"
      ? "http://www.w3.org/2003/05/soap-envelope"
      : "http://schemas.xmlsoap.org/soap/envelope/";
  const body = onlyChild(expectName(root, envelope, "Envelope"), envelope, "Body");
  const response = onlyChild(body, namespace, `${operation}Response`);
  return readValue(onlyChild(response, namespace, `${operation}Result`));
}

function onlyChild({ name, children }: XmlElement, uri: string, child: string): XmlElement {
  const [first] = children;
  if (first === undefined || children.length > 1) throw new Error(`${name} has not one child`);
  return expectName(first, uri, child);
}

function expectName(element: XmlElement, uri: string, name: string): XmlElement {
  const { name: found, namespace: foundIn } = element;
  if (found === name && foundIn === uri) return element;
  throw new Error(`{${foundIn}}${found} instead of {${uri}}${name}`);
}

function readValue(element: XmlElement): unknown {
  const { children, text } = element;
  if (attributeOf(element, xsiNamespace, "nil") === "true") return null;
  if (children.length === 0) return text;
  const entries = children.map((child) => {
    return [child.name, readValue(expectName(child, namespace, child.name))] as const;
  });
  const value = Object.fromEntries(entries);
  if (Object.keys(value).length < children.length) throw new Error("A member comes twice");
  return value;
}
