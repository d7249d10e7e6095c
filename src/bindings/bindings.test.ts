import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createXmlReader, type XmlElement } from "../codec/xml-reader.ts";
import { bindings as facts } from "../contract/bindings.ts";
import { locationHelper } from "../contract/location-helper.ts";
import { Fault, type FaultCode } from "../fault.ts";
import type { Binding, CallTarget } from "./binding.ts";
import { type HttpRequest, type HttpResponse, readMediaType } from "./http.ts";
import { httpGet } from "./http-get/index.ts";
import { httpPost } from "./http-post/index.ts";
import { soap11 } from "./soap11/index.ts";
import { soap12 } from "./soap12/index.ts";

const service = { contract: locationHelper, namespace: "urn:test/" };
const allBindings = [soap11(service), soap12(service), httpGet(service), httpPost(service)];

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
  const request: HttpRequest = {
    method,
    path: "",
    query: binding.name === "http-get" ? form : "",
    headers: [],
    contentType: requestMediaType === null ? undefined : readMediaType(requestMediaType),
    body: new TextEncoder().encode(
      at === "service" ? envelope : binding.name === "http-post" ? form : "",
    ),
  };
  return [request, at === "service" ? { at } : { at, operation }];
}

function decode(binding: Binding, parts: Parts) {
  return binding.decode(...requestOf(binding, parts));
}

const text = ({ body }: HttpResponse) => body;
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

/** The first element of a name, however deep. */
function find(element: XmlElement, name: string): XmlElement | undefined {
  if (element.name === name) return element;
  for (const child of element.children) {
    const found = find(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

for (const binding of allBindings) {
  const overSoap = facts[binding.name].at === "service";
  const call = { operation: "PostalCodeToCityState", input: {}, answerAs: binding.name };

  test(`${binding.name}: a call is read back as it was sent`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        fc.pre(!/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(value));
        const { operation, input, answerAs } = decode(binding, {
          operation: "PostalCodeToCityState",
          fields: { postalCode: value },
        });
        assert.deepEqual(
          { operation, ...input, answerAs },
          { operation: "PostalCodeToCityState", postalCode: value, answerAs: binding.name },
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
    [
      "a number that is none",
      { operation: "GetStateListForCountryId", fields: { countryId: "x" } },
    ],
    [
      "a number out of range",
      { operation: "GetStateListForCountryId", fields: { countryId: "9".repeat(99) } },
    ],
  ];
  for (const [name, parts] of refused) {
    test(`${binding.name}: ${name} is a sender fault`, () => {
      assert.throws(
        () => decode(binding, parts),
        (reason) => reason instanceof Fault && reason.code === "sender",
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

  test(`${binding.name}: absent members are left out, empty ones are empty elements`, () => {
    const answer = text(binding.encode(call, place));
    assert.match(answer, /<StateAbbreviation \/>/);
    assert.doesNotMatch(answer, /StateName|CountryCode|CountryAlias/);
    assert.equal(find(readXml(answer), "City")?.text, place.City);
  });

  test(`${binding.name}: the continent is ${overSoap ? "nil" : "filled in"}`, () => {
    const answer = text(binding.encode(call, place));
    if (overSoap) assert.match(answer, /<Continent xsi:nil="true" \/>/);
    else assert.equal(find(readXml(answer), "Continent_id")?.text, "3");
  });

  test(`${binding.name}: a result without members is an empty element`, () => {
    const answer = readXml(text(binding.encode(call, { City: null, State: null })));
    const holder = find(
      answer,
      overSoap ? "PostalCodeToCityStateResult" : "LocationUIHelperResponse",
    );
    assert.deepEqual([holder?.children.length, holder?.text], [0, ""]);
    assert.doesNotMatch(JSON.stringify(holder), /"nil"/);
  });

  test(`${binding.name}: any text in a result gives a document that is read back`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (City) => {
        const answer = readXml(text(binding.encode(call, { City, State: null })));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what XML leaves out
        const expected = City.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "");
        assert.equal(find(answer, "City")?.text, expected);
      }),
    );
  });

  const codes: readonly FaultCode[] = [
    "sender",
    "malformed",
    "too-large",
    "unsupported-media",
    "version-mismatch",
    "must-understand",
    "receiver",
  ];
  for (const code of codes) {
    test(`${binding.name}: a fault of the kind ${code} is an error with its message`, () => {
      const { status, headers, body } = binding.encodeFault(new Fault(code, "<said> & done"));
      assert.ok(status >= 400 && status < 600);
      const answer = body;
      assert.ok(headers.includes(facts[binding.name].faultContentType));
      if (overSoap) assert.match(JSON.stringify(readXml(answer)), /<said> & done/);
      else assert.equal(answer, "&lt;said&gt; &amp; done\n");
    });
  }
}

test("soap11: the fault of an unknown reason tells nothing of it", () => {
  const { body } = soap11(service).encodeFault(Fault.from(new Error("secret /etc/passwd")));
  assert.doesNotMatch(body, /secret|passwd/);
});

const mediaTypes: readonly (readonly [string, string, string | undefined, string | undefined])[] = [
  ["text/xml", "text/xml", undefined, undefined],
  ["TEXT/XML;charset=UTF-8", "text/xml", "UTF-8", undefined],
  [
    'application/soap+xml; charset="utf-8"; action="urn:a;b"',
    "application/soap+xml",
    "utf-8",
    "urn:a;b",
  ],
  ["application/soap+xml; action=urn:a", "application/soap+xml", undefined, "urn:a"],
  ['application/soap+xml;charset=utf-8;action="a\\"b"', "application/soap+xml", "utf-8", 'a"b'],
  ["text/xml; charset=a; charset=b", "text/xml", "a", undefined],
  ["text/xml; nonsense; =; charset=", "text/xml", undefined, undefined],
  ["", "", undefined, undefined],
];
for (const [value, name, charset, action] of mediaTypes) {
  test(`readMediaType() of ${JSON.stringify(value)}`, () => {
    assert.deepEqual(readMediaType(value), { text: value, name, charset, action });
  });
}
