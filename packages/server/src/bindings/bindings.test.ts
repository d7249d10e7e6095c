import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { xsiNamespace } from "../codec/xml/escape.ts";
import { attributeOf, createXmlReader, type XmlElement } from "../codec/xml/reader.ts";
import { bindings as facts } from "../contract/bindings.ts";
import { locationHelper } from "../contract/location-helper.ts";
import { Fault, type FaultCode } from "../fault.ts";
import type { Binding } from "./binding.ts";
import { compileBinding } from "./compile-binding.ts";
import { type CallTarget, type HttpRequest, readMediaType } from "./http.ts";

const service = { contract: locationHelper, namespace: "urn:test/" };
const allBindings = Object.values(compileBinding).map((compile) => compile(service));

interface Parts {
  readonly operation: string;
  readonly fields: Readonly<Record<string, string>>;
}

const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const envelopes = {
  soap11: "http://schemas.xmlsoap.org/soap/envelope/",
  soap12: "http://www.w3.org/2003/05/soap-envelope",
};

/** A request of one binding, as a plain client would send it. */
function requestOf(binding: Binding, { operation, fields }: Parts): [HttpRequest, CallTarget] {
  const { method, at, requestMediaType } = facts[binding.name];
  const form = new URLSearchParams(fields).toString();
  const elements = Object.entries(fields).map(
    ([name, value]) => `<${name}>${escapeXml(value)}</${name}>`,
  );
  const namespace = binding.name === "soap12" ? envelopes.soap12 : envelopes.soap11;
  const envelope = `<e:Envelope xmlns:e="${namespace}"><e:Body><${operation} xmlns="urn:test/">${elements.join("")}</${operation}></e:Body></e:Envelope>`;
  const bodies = {
    soap11: envelope,
    soap12: envelope,
    "http-get": "",
    "http-post": form,
    json: JSON.stringify(fields),
  };
  const request: HttpRequest = {
    method,
    path: "",
    query: binding.name === "http-get" ? form : "",
    headers: [],
    contentType: requestMediaType === null ? undefined : readMediaType(requestMediaType),
    body: new TextEncoder().encode(bodies[binding.name]),
  };
  return [request, at === "service" ? { at } : { at, operation }];
}

function decode(binding: Binding, parts: Parts) {
  return binding.decode(...requestOf(binding, parts));
}

const readXml = createXmlReader();

const place = {
  City: "Coeur d'Alene & <Co>",
  State: {
    State_id: 1,
    StateName: null,
    StateAbbreviation: "",
    Country: {
      Country_id: 2,
      CountryName: "C",
      CountryCode: null,
      CountryAlias: null,
      Continent: { Continent_id: 3, ContinentName: "N", ContinentCode: null },
      Active: false,
    },
    Active: true,
  },
};

/** The value of a member in a response, however deep; undefined where it is absent or nil. */
function member(binding: Binding, body: string, name: string): string | undefined {
  if (binding.name !== "json") return textOf(readXml(body), name);
  let found: string | undefined;
  JSON.parse(body, (key, value) => {
    if (key === name && value !== null) found = String(value);
    return value;
  });
  return found;
}

function textOf(element: XmlElement, name: string): string | undefined {
  if (element.name === name) return isNil(element) ? undefined : element.text;
  for (const child of element.children) {
    const found = textOf(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isNil(element: XmlElement): boolean {
  return attributeOf(element, xsiNamespace, "nil") === "true";
}

/** Faults that say that the call is wrong. */
const refusals: readonly FaultCode[] = ["sender", "unknown-operation", "unreadable-part"];

/** Faults of a call on the wire: the status, a different one over JSON, and the names in SOAP. */
const faults: Readonly<
  Record<
    Exclude<FaultCode, "receiver">,
    { status: number; json?: number; soap11: string; soap12: string }
  >
> = {
  sender: { status: 500, soap11: "Client", soap12: "Sender" },
  "unknown-operation": { status: 500, json: 404, soap11: "Client", soap12: "Sender" },
  "not-found": { status: 500, soap11: "Client", soap12: "Sender" },
  "unreadable-part": { status: 500, soap11: "Client", soap12: "Sender" },
  forbidden: { status: 403, soap11: "Client", soap12: "Sender" },
  unauthorized: { status: 401, soap11: "Client", soap12: "Sender" },
  "forbidden-token": { status: 403, soap11: "Client", soap12: "Sender" },
  malformed: { status: 400, soap11: "Client", soap12: "Sender" },
  "too-large": { status: 413, soap11: "Client", soap12: "Sender" },
  "unsupported-media": { status: 415, soap11: "Client", soap12: "Sender" },
  "version-mismatch": { status: 500, soap11: "VersionMismatch", soap12: "VersionMismatch" },
  "must-understand": { status: 500, soap11: "MustUnderstand", soap12: "MustUnderstand" },
  busy: { status: 503, soap11: "Server", soap12: "Receiver" },
  unavailable: { status: 503, soap11: "Server", soap12: "Receiver" },
};

for (const binding of allBindings) {
  const overSoap = facts[binding.name].at === "service";
  const call = {
    operation: "PostalCodeToCityState",
    input: {},
    responseForm: { binding: binding.name },
  };

  test(`${binding.name}: a call is read back as it was sent`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        fc.pre(!/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(value));
        const { operation, input, responseForm } = decode(binding, {
          operation: "PostalCodeToCityState",
          fields: { postalCode: value },
        });
        assert.deepEqual(
          { operation, ...input, responseForm },
          {
            operation: "PostalCodeToCityState",
            postalCode: value,
            responseForm: { binding: binding.name },
          },
        );
      }),
    );
  });

  test(`${binding.name}: an int is read as a number`, () => {
    const { input } = decode(binding, {
      operation: "GetStateListForCountryId",
      fields: { countryId: " +840 " },
    });
    assert.deepEqual({ ...input }, { countryId: 840 });
  });

  const refused: readonly (readonly [string, Parts])[] = [
    ["an unknown operation", { operation: "Nope", fields: {} }],
    [
      "an operation in other case",
      { operation: "postalcodetocitystate", fields: { postalCode: "1" } },
    ],
    ["an operation that objects have", { operation: "constructor", fields: {} }],
    ["an operation named __proto__", { operation: "__proto__", fields: {} }],
    ["a missing parameter", { operation: "PostalCodeToCityState", fields: {} }],
    ["letters as a number", { operation: "GetStateListForCountryId", fields: { countryId: "x" } }],
    [
      "a number out of range",
      { operation: "GetStateListForCountryId", fields: { countryId: "9".repeat(99) } },
    ],
  ];
  for (const [name, parts] of refused) {
    test(`${binding.name}: ${name} is a fault of the caller`, () => {
      assert.throws(
        () => decode(binding, parts),
        (reason) => reason instanceof Fault && refusals.includes(reason.code),
      );
    });
  }

  test(`${binding.name}: any body is a call or a fault`, () => {
    const [request, target] = requestOf(binding, {
      operation: "PostalCodeToCityState",
      fields: {},
    });
    const operation = fc.constantFrom(target, {
      at: "operation" as const,
      operation: "GetStateListForCountryId",
    });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: "binary-ascii" }),
        operation,
        (body, query, where) => {
          try {
            binding.decode({ ...request, body, query }, overSoap ? target : where);
          } catch (reason) {
            assert.ok(reason instanceof Fault && reason.code !== "receiver", String(reason));
          }
        },
      ),
    );
  });

  test(`${binding.name}: absent members have no value, empty ones are empty`, () => {
    const { body } = binding.encode(call, place);
    assert.equal(member(binding, body, "City"), place.City);
    assert.equal(member(binding, body, "StateAbbreviation"), "");
    assert.equal(member(binding, body, "StateName"), undefined);
    assert.equal(member(binding, body, "CountryCode"), undefined);
  });

  test(`${binding.name}: the continent is ${overSoap ? "nil" : "filled in"}`, () => {
    const { body } = binding.encode(call, place);
    assert.equal(member(binding, body, "Continent_id"), overSoap ? undefined : "3");
    if (overSoap) assert.match(body, /<Continent xsi:nil="true" \/>/);
  });

  test(`${binding.name}: a result without members is not the response without a result`, () => {
    const { body } = binding.encode(call, { City: null, State: null });
    assert.notEqual(body, binding.encode(call, null).body);
    assert.equal(member(binding, body, "City"), undefined);
  });

  test(`${binding.name}: any text in a result is read back, without what XML forbids`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (City) => {
        const { body } = binding.encode(call, { City, State: null });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no such characters
        const allowed = City.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "");
        const expected = binding.name === "json" ? City : allowed;
        assert.equal(member(binding, body, "City"), expected);
      }),
    );
  });

  for (const [code, { status, soap11, soap12, json = status }] of Object.entries(faults)) {
    const expected = binding.name === "json" ? json : status;
    test(`${binding.name}: a fault of the kind ${code} is ${expected} with its code and message`, () => {
      const fault = new Fault(code as FaultCode, "<said> & done");
      const response = binding.encodeFault(fault, { binding: binding.name });
      assert.equal(response.status, expected);
      assert.ok(response.headers.includes(facts[binding.name].faultContentType));
      const found = (...names: string[]) =>
        names.map((name) => member(binding, response.body, name));
      if (binding.name === "soap11") {
        assert.deepEqual(found("faultcode", "faultstring"), [`soap:${soap11}`, "<said> & done"]);
      } else if (binding.name === "soap12") {
        assert.deepEqual(found("Value", "Text"), [`soap:${soap12}`, "<said> & done"]);
      } else if (binding.name === "json") {
        assert.deepEqual(found("Message"), ["<said> & done"]);
      } else {
        assert.equal(response.body, "&lt;said&gt; &amp; done\n");
      }
    });
  }

  test(`${binding.name}: the fault of an unknown reason tells nothing of it`, () => {
    const fault = Fault.from(new Error("secret /etc/passwd"));
    const { status, body } = binding.encodeFault(fault, { binding: binding.name });
    assert.equal(status, 500);
    assert.doesNotMatch(body, /secret|passwd/);
    assert.match(body, /internal error/i);
  });
}
