import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { compareExchange, oldResponseOf } from "../src/compare/response-comparison.ts";
import { RuleBook } from "../src/compare/rules.ts";
import type { WholeResponse } from "../src/compare/whole-response.ts";
import type { Exchange } from "../src/exchange.ts";
import { readReference } from "./compare-fixture.ts";
import { seedChanges } from "./seeded-responses.ts";

const reference = readReference();
const bindings = ["soap11", "soap12", "http-get", "http-post", "json"];
/** The exchanges whose responses have a body, faults among them. */
const bases = reference.filter(isTyped);

function isTyped({ binding, operation, response }: Exchange): boolean {
  const { body } = response ?? {};
  return (
    binding !== null &&
    operation !== null &&
    body !== undefined &&
    body !== null &&
    "text" in body &&
    body.text !== ""
  );
}

function kindOf({ operation, binding, response }: Exchange): string {
  return `${operation} ${binding} ${response?.status}`;
}

test("every seeded change of responses of all bindings is found at its path", () => {
  const missed: string[] = [];
  let count = 0;
  for (const base of bases) {
    const old = oldResponseOf(base);
    for (const { name, response, path, kind } of seedChanges(old)) {
      const rules = new RuleBook();
      // The recording shows which ids belong together.
      assert.equal(compareExchange(base, old, rules).result, "identical");
      const { result, differences } = compareExchange(base, response, rules);
      const isFound = differences.some((one) => one.path === path && one.kind === kind);
      count += 1;
      if (result !== "different" || !isFound) {
        missed.push(`${kindOf(base)} ${name}: ${path}, ${JSON.stringify(differences)}`);
      }
    }
  }
  assert.deepEqual(missed, []);
  assert.ok(count >= 200, `${count} changes`);
  assert.deepEqual(new Set(bases.map(({ binding }) => binding)), new Set(bindings));
});

const lookUp = reference.find((one) => kindOf(one) === "PostalCodeToCityState soap11 200");
const json = reference.find((one) => kindOf(one) === "PostalCodeToCityState json 200");
assert.ok(lookUp !== undefined && json !== undefined);

function textOf(exchange: Exchange): string {
  return Buffer.from(oldResponseOf(exchange).body).toString();
}

function withBody(exchange: Exchange, body: string | Uint8Array, ...headers: string[]) {
  const old = oldResponseOf(exchange);
  return { ...old, headers: [...old.headers, ...headers], body: Buffer.from(body) };
}

describe("what means nothing is identical", () => {
  const xml = textOf(lookUp);
  const meaningless: Readonly<Record<string, readonly [Exchange, WholeResponse]>> = {
    "other prefixes": [
      lookUp,
      withBody(lookUp, xml.replaceAll("soap:", "s:").replace("xmlns:soap", "xmlns:s")),
    ],
    "white space between elements": [
      lookUp,
      withBody(lookUp, xml.replaceAll("><", ">\n  <").replace("\n  </City>", "</City>")),
    ],
    "a byte order mark": [lookUp, withBody(lookUp, `\ufeff${xml}`)],
    "UTF-16": [lookUp, withBody(lookUp, Buffer.from(`\ufeff${xml}`, "utf16le"))],
    gzip: [lookUp, withBody(lookUp, gzipSync(xml), "Content-Encoding", "gzip")],
    deflate: [lookUp, withBody(lookUp, deflateSync(xml), "Content-Encoding", "deflate")],
    "deflate without its header": [
      lookUp,
      withBody(lookUp, deflateRawSync(xml), "Content-Encoding", "deflate"),
    ],
    br: [lookUp, withBody(lookUp, brotliCompressSync(xml), "Content-Encoding", "br")],
    "headers of the server": [
      lookUp,
      withBody(lookUp, xml, "Server", "x", "Date", "x", "X-AspNet-Version", "4"),
    ],
    "the order of JSON members": [
      json,
      withBody(
        json,
        textOf(json).replace(/("StateName":"[^"]*"),("StateAbbreviation":"[^"]*")/, "$2,$1"),
      ),
    ],
    "the class of an object in JSON": [
      json,
      withBody(
        json,
        textOf(json).replace('{"City"', '{"__type":"LocationUIHelperResponse","City"'),
      ),
    ],
    "escapes of JSON": [json, withBody(json, textOf(json).replace("New York", "New\\u0020York"))],
  };
  for (const [name, [exchange, response]] of Object.entries(meaningless)) {
    test(name, () => {
      const { result, differences } = compareExchange(exchange, response, new RuleBook());
      assert.deepEqual({ result, differences }, { result: "identical", differences: [] });
    });
  }
});

test("white space around a code explains that it is found, and that of an envelope nothing", () => {
  const found = textOf(lookUp);
  const nothing = textOf(lookUp).replace(/<PostalCodeToCityStateResult>.*Result>/, "");
  const other = found.replace("New York", "Nueva York");
  const compareFor = (code: string, old: string) => {
    const text = `<Body>\n <a:postalCode xmlns:a="b">${code}</a:postalCode>\n </Body>\n`;
    const request = { ...lookUp.request, body: { text } };
    const response = {
      status: 200,
      statusText: "OK",
      headers: oldResponseOf(lookUp).headers,
      body: { text: old },
    };
    return compareExchange(
      { ...lookUp, request, response },
      withBody(lookUp, found),
      new RuleBook(),
    ).result;
  };
  assert.equal(compareFor("10001", nothing), "different");
  for (const code of [" 10001", "10001 ", "\n10001"]) {
    assert.equal(compareFor(code, nothing), "explained");
    assert.equal(compareFor(code, other), "different");
  }
});

test("another namespace of the result is one difference", () => {
  const xml = textOf(lookUp).replace("http://example.org/location/", "urn:other");
  const { differences } = compareExchange(lookUp, withBody(lookUp, xml), new RuleBook());
  assert.deepEqual(
    differences.map(({ path, old, ours }) => [path, old, ours]),
    [["PostalCodeToCityStateResponse", "http://example.org/location/", "urn:other"]],
  );
});

test("the setting of the namespace is named for the whole message only", () => {
  const notesFor = (text: string, other: string) => {
    const xml = textOf(lookUp).replace(text, other);
    const { differences } = compareExchange(lookUp, withBody(lookUp, xml), new RuleBook());
    return differences.map(({ path, note }) => [path, note]);
  };
  const soap12 = "http://www.w3.org/2003/05/soap-envelope";
  assert.deepEqual(notesFor("http://schemas.xmlsoap.org/soap/envelope/", soap12), [
    ["Envelope", undefined],
  ]);
  assert.deepEqual(notesFor("<City>", '<City xmlns="urn:other">'), [
    ["PostalCodeToCityStateResult/City", undefined],
  ]);
  assert.deepEqual(notesFor("http://example.org/location/", "urn:other"), [
    [
      "PostalCodeToCityStateResponse",
      "the clients use another namespace: set WFH_LOCATION_NAMESPACE=http://example.org/location/",
    ],
  ]);
});

test("the cookie of a log-in has another name, but is not left out", () => {
  const cookies = [
    [".ASPXAUTH=A; path=/; HttpOnly", "__Host-wfal=v1.B; Path=/; Secure; HttpOnly; SameSite=Lax"],
    [".ASPXAUTH=A; path=/; HttpOnly", ""],
    ["ASP.NET_SessionId=A; path=/", "__Host-wfal=v1.B; Path=/; Secure; HttpOnly; SameSite=Lax"],
    [".ASPXAUTH=A; path=/; HttpOnly", "__Host-wfal=v1.B; Path=/, x=y; Path=/"],
    [".ASPXAUTH=A; path=/; domain=example.com", "__Host-wfal=v1.B; Path=/"],
    [".ASPXAUTH=A; path=/; expires=Tue, 01-Nov-2099 10:00:00 GMT", "__Host-wfal=v1.B; Path=/"],
    [".ASPXAUTH=; path=/; expires=Tue, 12-Oct-1999 10:00:00 GMT", "__Host-wfal=v1.B; Path=/"],
    [".ASPXAUTH=A; path=/", "__Host-wfal=; Path=/; Max-Age=0"],
  ];
  const results = cookies.map(([old = "", ours = ""]) => {
    const { response } = json;
    assert.ok(response !== null);
    const exchange = {
      ...json,
      response: { ...response, headers: [...response.headers, "Set-Cookie", old] },
    };
    const own = ours === "" ? [] : ["Set-Cookie", ours];
    return compareExchange(exchange, withBody(json, textOf(json), ...own), new RuleBook()).result;
  });
  assert.deepEqual(results, ["explained", ...Array(7).fill("different")]);
});

/** An old response and ours to a request. */
interface NoticeableCase {
  readonly request?: string;
  readonly target?: string;
  readonly old: string;
  readonly ours: string;
  readonly status?: number;
}

const compareBodies = ({ request, target, old, ours, status = 200 }: NoticeableCase) => {
  const { response } = lookUp;
  assert.ok(response !== null);
  const asked =
    target === undefined ? lookUp.request : { ...lookUp.request, method: "GET", target };
  const exchange = {
    ...lookUp,
    operation: target === undefined ? lookUp.operation : null,
    request: { ...asked, body: request === undefined ? asked.body : { text: request } },
    response: { ...response, body: { text: old } },
  };
  const changed = { ...withBody(lookUp, ours), status };
  return compareExchange(exchange, changed, new RuleBook()).result;
};

function faultOf(text: string): string {
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>${text}</faultstring></s:Fault></s:Body></s:Envelope>`;
}

const found = textOf(lookUp);
const nothing = found.replace(/<PostalCodeToCityStateResult>.*Result>/, "");
const sent = (value: string, namespace = "http://example.org/location/") =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><PostalCodeToCityState xmlns="${namespace}">${value}</PostalCodeToCityState></s:Body></s:Envelope>`;
const code = "<postalCode>10001</postalCode>";
const missing = { ours: faultOf("Missing parameter: postalCode."), status: 500 };
const unknown = {
  ours: faultOf("Unable to handle request without a valid action parameter."),
  status: 500,
};
const holds = {
  ours: faultOf("Server was unable to read request. The element postalCode holds an element b"),
  status: 500,
};
const invalid = {
  ours: faultOf("The body is not valid in its character encoding."),
  status: 400,
};
const wsdl = (attribute: string) => `<definitions><part ${attribute}="http://a/b" /></definitions>`;
const otherWsdl = (attribute: string) => wsdl(attribute).replace("a/b", "c/b");
const noWsdl = { ours: "XML Web service description was not found.", status: 404 };
const service = "/api/WebFormsAjaxEndpoint.svc";

type NoticeableCases = Readonly<
  Record<string, readonly [NoticeableCase, "explained" | "different"]>
>;

const documentCases: NoticeableCases = {
  "an address": [{ old: wsdl("location"), ours: otherWsdl("location") }, "explained"],
  "a namespace": [
    { old: wsdl("targetNamespace"), ours: otherWsdl("targetNamespace") },
    "different",
  ],
  "an action": [{ old: wsdl("soapAction"), ours: otherWsdl("soapAction") }, "different"],
  "a part of a WSDL": [{ target: `${service}?xsd=xsd0`, old: "<schema/>", ...noWsdl }, "explained"],
  "a WSDL": [{ target: `${service}?wsdl`, old: "<definitions/>", ...noWsdl }, "different"],
};

const faultCases: NoticeableCases = {
  "a fault for a call without its parameter": [
    { request: sent(""), old: nothing, ...missing },
    "explained",
  ],
  "a fault for a call with its parameter": [
    { request: sent(code), old: nothing, ...missing },
    "different",
  ],
  "a fault for a nil parameter that holds a code": [
    { request: sent('<postalCode i:nil="true">10001</postalCode>'), old: nothing, ...missing },
    "explained",
  ],
  "a fault for a nil parameter that holds a code of a place": [
    { request: sent('<postalCode i:nil="true">10001</postalCode>'), old: found, ...missing },
    "different",
  ],
  "a fault for a nil parameter, where the old server finds a place": [
    { request: sent('<postalCode i:nil="true"/>'), old: found, ...missing },
    "different",
  ],
  "a fault for an element of another namespace": [
    { request: sent(code, "urn:other"), old: nothing, ...unknown },
    "explained",
  ],
  "a fault for an element of the old server's namespace": [
    { request: sent(code), old: nothing, ...unknown },
    "different",
  ],
  "a fault for a value with an element": [
    { request: sent("<postalCode>100<b>01</b></postalCode>"), old: nothing, ...holds },
    "explained",
  ],
  "a fault for a value with an element, where the old server finds a place": [
    { request: sent("<postalCode>100<b>01</b></postalCode>"), old: found, ...holds },
    "different",
  ],
  "a fault for a value without an element": [
    { request: sent(code), old: nothing, ...holds },
    "different",
  ],
  "a fault for bytes that do not fit their encoding": [
    { request: sent(code), old: nothing, ...invalid },
    "explained",
  ],
  "a fault for bytes that do not fit their encoding, where the old server finds a place": [
    { request: sent(code), old: found, ...invalid },
    "different",
  ],
};

describe("rules explain nothing that a client notices", () => {
  for (const [name, [given, result]] of Object.entries({ ...documentCases, ...faultCases })) {
    test(`${name} is ${result}`, () => assert.equal(compareBodies(given), result));
  }
});

test("64-bit ids are compared to the last digit", () => {
  const exchange = {
    ...json,
    response: {
      ...json.response,
      status: 200,
      statusText: "OK",
      headers: [],
      body: { text: '{"d":{"Contact_Id":9007199254740993}}' },
    },
  };
  const { differences } = compareExchange(
    exchange,
    withBody(exchange, '{"d":{"Contact_Id":9007199254740992}}'),
    new RuleBook(),
  );
  assert.deepEqual(differences, [
    { path: "d/Contact_Id", kind: "value", old: "9007199254740993", ours: "9007199254740992" },
  ]);
});

test("ids are mapped one to one over all exchanges", () => {
  const rules = new RuleBook();
  const compareIds = (old: string, ours: string) => {
    const xml = textOf(lookUp).replace(/(<State_id>)\d+/, `$1${old}`);
    const exchange = {
      ...lookUp,
      response: {
        ...lookUp.response,
        status: 200,
        statusText: "OK",
        headers: [],
        body: { text: xml },
      },
    };
    const response = withBody(exchange, xml.replace(/(<State_id>)\d+/, `$1${ours}`));
    const { result, differences } = compareExchange(exchange, response, rules);
    return [result, ...differences.map(({ note }) => note)];
  };
  assert.deepEqual(compareIds("33", "84000923"), ["explained"]);
  assert.deepEqual(compareIds("33", "84000923"), ["explained"]);
  assert.deepEqual(compareIds("33", "5"), ["different", "33 was 84000923 in an earlier exchange"]);
  assert.deepEqual(compareIds("34", "84000923"), [
    "different",
    "84000923 was 33 of the old server in an earlier exchange",
  ]);
  assert.deepEqual(compareIds("33", "33"), ["different", "33 was 84000923 in an earlier exchange"]);
  assert.deepEqual(compareIds("0", "5"), ["different", "0 means none"]);
});

test("a body nested deeper than any response is compared as text", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const { differences } = compareExchange(json, withBody(json, deep), new RuleBook());
  assert.deepEqual(
    differences.map(({ path, old, ours }) => [path, old, ours]),
    [["body", "JSON", "text"]],
  );
});

test("both sides of another status are shown, whatever the bodies", () => {
  const { differences } = compareExchange(
    lookUp,
    { status: 500, headers: [], body: Buffer.from("oops") },
    new RuleBook(),
  );
  const shown = differences.map(({ path, old, ours }) => `${path}: ${old}, ${ours}`).sort();
  assert.deepEqual(shown, [
    "body: XML, text",
    "headers/Cache-Control: max-age=0, private, not stated",
    "headers/Content-Type: text/xml; charset=utf-8, null",
    "status: 200, 500",
  ]);
});
