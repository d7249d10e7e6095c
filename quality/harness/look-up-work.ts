import assert from "node:assert/strict";
import { soap11Version, soap12Version } from "../../src/bindings/soap/versions.ts";
import { type BindingName, bindings as facts } from "../../src/contract/bindings.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import type { Place } from "../../src/domain/location/place.ts";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../../src/gazetteer/format/reader.ts";
import { type Received, type Sent, writeSent } from "../../test/server/log-in-calls.ts";
import { location } from "./declared-responses.ts";
import { envelopeOf, fieldsOf } from "./envelope.ts";
import { findElement, readStrictly, type StrictElement } from "./strict-xml.ts";
import type { Work } from "./work.ts";

/** Different postal codes, so that no answer can be kept ready by chance. */
const codeCount = 1_000;
const operation = "PostalCodeToCityState";
const path = `${locationHelper.path}/${operation}`;

/** A field of an answer: its text, its own fields, or null where it is nil. */
type Field = string | null | { readonly [name: string]: Field };

interface LookUp {
  readonly code: string;
  readonly place: Place;
}

/** Look-ups in every binding, on connections that are kept and on new ones, each answer held to the place field by field. */
export function lookUpWorks(perSecond: number): readonly Work[] {
  const lookUps = listLookUps();
  const works = locationHelper.bindings.map((binding) => {
    const { label, write, read } = ways[binding];
    const isFull = !binding.startsWith("soap");
    const open = (loop: number) => {
      let next = loop * 31;
      return () => {
        const { code, place } = lookUps[next % lookUps.length] ?? assert.fail();
        next += 1;
        const check = (response: Received) => {
          assert.equal(response.status, 200, response.body);
          assert.deepEqual(response.valuesOf("content-type"), [facts[binding].responseContentType]);
          assert.deepEqual(read(response.body), fieldsOfPlace(place, isFull), code);
        };
        return { bytes: Buffer.from(writeSent(write(code), "keep-alive")), isFramed: true, check };
      };
    };
    return { kind: `look-up, ${label}`, perSecond, loops: 4, connects: false, open };
  });
  const [first = assert.fail()] = works;
  return [...works, { ...first, kind: `${first.kind}, new connections`, connects: true }];
}

/** Real postal codes, spread over the whole range; the same ones each time. */
function listLookUps(): readonly LookUp[] {
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

interface Way {
  readonly label: string;
  readonly write: (code: string) => Sent;
  readonly read: (body: string) => Field;
}

const json = {
  label: "JSON",
  write: (code: string) => ({
    path,
    fields: [["Content-Type", "application/json"]] as const,
    body: JSON.stringify({ postalCode: code }),
  }),
  read: (body: string) => (JSON.parse(body, textOf) as { readonly d: Field }).d,
};

const ways: Readonly<Record<BindingName, Way>> = {
  soap11: overSoap("SOAP 1.1", soap11Version),
  soap12: overSoap("SOAP 1.2", soap12Version),
  "http-get": {
    label: "HTTP GET",
    write: (code) => ({ method: "GET", path: `${path}?postalCode=${code}` }),
    read: (body) => toField(readStrictly(body)),
  },
  "http-post": {
    label: "HTTP POST",
    write: (code) => ({
      path,
      fields: [["Content-Type", "application/x-www-form-urlencoded"]],
      body: `postalCode=${code}`,
    }),
    read: (body) => toField(readStrictly(body)),
  },
  json,
};

function overSoap(label: string, version: typeof soap11Version | typeof soap12Version): Way {
  const { binding, envelopeNamespace } = version;
  const seam = { target: location, binding, envelopeNamespace, operation, part: "postalCode" };
  const fields = fieldsOf(seam, "; charset=utf-8")
    .split("\r\n")
    .filter(Boolean)
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
  return {
    label,
    write: (code) => ({
      path: locationHelper.path,
      fields,
      body: envelopeOf(seam, { content: `<postalCode>${code}</postalCode>` }),
    }),
    read: (body) => toField(findElement(readStrictly(body), `${operation}Result`) ?? assert.fail()),
  };
}

/** JSON has numbers and booleans where XML has their text. */
function textOf(_name: string, value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}

function toField({ attributes, children, text }: StrictElement): Field {
  if (attributes["xsi:nil"] === "true") return null;
  if (children.length === 0) return text;
  return Object.fromEntries(children.map((child) => [child.name, toField(child)]));
}

/** What is to be answered (contract §2.2), with the continent or, over SOAP, without (decision 0008). */
function fieldsOfPlace({ city, state }: Place, isFull: boolean): Field {
  const { country } = state;
  const continent = {
    Continent_id: String(country.continent.id),
    ContinentName: country.continent.name,
    ContinentCode: country.continent.code,
  };
  return {
    City: city,
    State: {
      State_id: String(state.id),
      StateName: state.name,
      StateAbbreviation: state.abbreviation,
      Country: {
        Country_id: String(country.id),
        CountryName: country.name,
        CountryCode: country.code,
        CountryAlias: country.alias,
        Continent: isFull ? continent : null,
        Active: String(country.active),
      },
      Active: String(state.active),
    },
  };
}
