import assert from "node:assert/strict";
import { soap11Version, soap12Version } from "@wfh/server/bindings/soap/versions.ts";
import { type BindingName, bindings as facts } from "@wfh/server/contract/bindings.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { Place } from "@wfh/server/domain/location/place.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { isNil, readStrictly, type StrictElement } from "./strict-xml.ts";

/** Different postal codes in one workload, so that no single response can be kept ready. */
const codeCount = 1_000;
const operation = "PostalCodeToCityState";

/** A postal code with its place. */
export interface LookUp {
  readonly code: string;
  readonly place: Place;
}

/** Real postal codes, spread evenly over the whole range; the same ones each time. */
export function listLookUps(): readonly LookUp[] {
  const gazetteer = openGazetteer(builtInGazetteer);
  const found: LookUp[] = [];
  for (let i = 1; i < 100_000 && found.length < codeCount; i += 1) {
    const code = String((i * 48_271) % 99_991).padStart(5, "0");
    const place = gazetteer.findPlace(code, () => 0);
    if (place !== undefined) found.push({ code, place });
  }
  assert.equal(found.length, codeCount);
  return found;
}

/** Request of a look-up by a client that keeps its connection, in SOAP that of a .NET one. */
export function writeLookUp(binding: BindingName, code: string, namespace: string): Buffer {
  const { method, at, requestMediaType } = facts[binding];
  const isSoap = at === "service";
  const path = locationHelper.path + (isSoap ? "" : `/${operation}`);
  const query = `postalCode=${code}`;
  const host = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n";
  if (method === "GET") return Buffer.from(`GET ${path}?${query} HTTP/1.1\r\n${host}\r\n`);
  const parts = binding === "json" ? JSON.stringify({ postalCode: code }) : query;
  const body = isSoap ? writeEnvelope(binding, code, namespace) : parts;
  const type = `Content-Type: ${requestMediaType}${isSoap ? "; charset=utf-8" : ""}\r\n`;
  const action = binding === "soap11" ? `SOAPAction: "${namespace}${operation}"\r\n` : "";
  const head = `POST ${path} HTTP/1.1\r\n${host}${type}${action}`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function writeEnvelope(binding: BindingName, code: string, namespace: string): string {
  return (
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
    `xmlns:soap="${envelopeNamespaceOf(binding)}"><soap:Body><${operation} xmlns="${namespace}">` +
    `<postalCode>${code}</postalCode></${operation}></soap:Body></soap:Envelope>`
  );
}

function envelopeNamespaceOf(binding: BindingName): string {
  return (binding === "soap12" ? soap12Version : soap11Version).envelopeNamespace;
}

/**
 * Compares a response body of any server with a place, all members in order.
 *
 * @throws {Error} when it is no well-formed response of the binding, or a member differs.
 */
export function checkLookUp(
  binding: BindingName,
  { place }: LookUp,
  body: string,
  namespace: string,
): void {
  const isJson = binding === "json";
  const found = isJson ? JSON.parse(body).d : readElements(binding, body, namespace);
  const foundText = JSON.stringify(found);
  const expected = JSON.stringify(
    membersOf(place, facts[binding].resultAs !== "result-element"),
    (_, value) => (isJson || value === null || typeof value === "object" ? value : String(value)),
  );
  if (foundText !== expected) throw new Error(`${foundText} instead of ${expected}`);
}

/** Expected members (contract §2.2), with the continent or, over SOAP, without (decision 0008). */
function membersOf({ city, state }: Place, isFull: boolean) {
  const { country } = state;
  const continent = {
    Continent_id: country.continent.id,
    ContinentName: country.continent.name,
    ContinentCode: country.continent.code,
  };
  return {
    City: city,
    State: {
      State_id: state.id,
      StateName: state.name,
      StateAbbreviation: state.abbreviation,
      Country: {
        Country_id: country.id,
        CountryName: country.name,
        CountryCode: country.code,
        CountryAlias: country.alias,
        Continent: isFull ? continent : null,
        Active: country.active,
      },
      Active: state.active,
    },
  };
}

function readElements(binding: BindingName, body: string, namespace: string): unknown {
  const root = readStrictly(body);
  if (facts[binding].resultAs === "root-element") {
    return readMembers(expectName(root, namespace, "LocationUIHelperResponse"));
  }
  const envelope = envelopeNamespaceOf(binding);
  const soapBody = onlyChild(expectName(root, envelope, "Envelope"), envelope, "Body");
  const response = onlyChild(soapBody, namespace, `${operation}Response`);
  return readMembers(onlyChild(response, namespace, `${operation}Result`));
}

function onlyChild({ name, children }: StrictElement, uri: string, child: string): StrictElement {
  const [first] = children;
  if (first === undefined || children.length > 1) throw new Error(`${name} has not one child`);
  return expectName(first, uri, child);
}

function expectName(element: StrictElement, uri: string, name: string): StrictElement {
  const { name: found, namespace: foundIn } = element;
  if (found === name && foundIn === uri) return element;
  throw new Error(`{${foundIn}}${found} instead of {${uri}}${name}`);
}

function readMembers(element: StrictElement): unknown {
  const { namespace, children, text } = element;
  if (isNil(element)) return null;
  if (children.length === 0) return text;
  const entries = children.map((child) => {
    return [child.name, readMembers(expectName(child, namespace, child.name))] as const;
  });
  const value = Object.fromEntries(entries);
  if (Object.keys(value).length < children.length) throw new Error("A member comes twice");
  return value;
}
