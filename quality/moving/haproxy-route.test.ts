import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { compileBinding } from "@wfh/server/bindings/compile-binding.ts";
import { fillRequest } from "@wfh/server/metadata/samples/request.ts";
import {
  elementOf,
  endpoint,
  envelope,
  location,
  operations,
  route,
  type Sent,
  send,
  services,
  setRules,
  skip,
  soap12,
  statOf,
} from "./haproxy-route-fixture.ts";

// examples/haproxy-route.cfg recognizes operations.

const soap11 = { "Content-Type": "text/xml; charset=utf-8" };

/** Requests, each with the one operation that it calls. */
const recognized: Readonly<Record<string, readonly [Sent, string]>> = {
  "HTTP GET": [[`${location}/PostalCodeToCityState?postalCode=1`], "PostalCodeToCityState"],
  JSON: [
    [`${endpoint}/TryAutoLogIn`, { "Content-Type": "application/json" }, "{}"],
    "TryAutoLogIn",
  ],
  "SOAP 1.1 by its action": [
    [location, { ...soap11, SOAPAction: '"urn:any/GetStateListForCountryId"' }, "not XML"],
    "GetStateListForCountryId",
  ],
  "SOAP 1.1 by its action without quotes": [
    [location, { ...soap11, SOAPAction: "http://a/GetStateListForCountryId" }, ""],
    "GetStateListForCountryId",
  ],
  "SOAP 1.1 by an action with escapes": [
    [endpoint, { ...soap11, SOAPAction: '"http://a/LogInUse%72"' }, ""],
    "LogInUser",
  ],
  "SOAP 1.1 with an empty action": [
    [location, { ...soap11, SOAPAction: '""' }, envelope(elementOf("PostalCodeToCityState"))],
    "PostalCodeToCityState",
  ],
  "SOAP 1.2 by its action": [
    [endpoint, { "Content-Type": 'application/soap+xml; action="x/LogInUser"; charset=utf-8' }, ""],
    "LogInUser",
  ],
  "SOAP 1.2 by an action without quotes": [
    [endpoint, { "Content-Type": "Application/SOAP+XML;Action=LogInUser" }, ""],
    "LogInUser",
  ],
  "SOAP 1.2 without an action": [
    [endpoint, soap12, envelope(elementOf("LogPageRequestAsync"))],
    "LogPageRequestAsync",
  ],
  "SOAP 1.2 with SOAPAction of another operation": [
    [endpoint, { ...soap12, SOAPAction: '"x/LogInUser"' }, envelope(elementOf("TryAutoLogIn"))],
    "TryAutoLogIn",
  ],
  "SOAP 1.2 with a byte order mark and no prefixes": [
    [endpoint, soap12, '\ufeff<Envelope xmlns="s"><Body><LogInUser xmlns="o"/></Body></Envelope>'],
    "LogInUser",
  ],
  "20 KB of headers before the call": [
    [endpoint, soap12, envelope(elementOf("LogInUser"), "<h a='b'>x y</h>".repeat(1_300))],
    "LogInUser",
  ],
  "an envelope of 60 KB": [
    [endpoint, soap12, envelope(elementOf("LogInUser"), `<h>${"<b/>".repeat(15_000)}</h>`)],
    "LogInUser",
  ],
  "a name in a text": [
    [
      endpoint,
      soap12,
      envelope(
        "<TryAutoLogIn><a>&lt;LogInUser/> <![CDATA[<s:Body><LogInUser/></s:Body>]]></a></TryAutoLogIn>",
      ),
    ],
    "TryAutoLogIn",
  ],
  "a name in a header": [
    [endpoint, soap12, envelope(elementOf("TryAutoLogIn"), "<LogInUser/>LogInUser<o:LogInUser/>")],
    "TryAutoLogIn",
  ],
  "a path in another case, with escapes and empty segments": [
    ["//API/.//./locationUIhelper%2Easmx/PostalCodeToCityStat%65"],
    "PostalCodeToCityState",
  ],
  "SOAP at such a path": [
    ["//api/./LOCATIONuihelper.asm%78?a=b", soap11, envelope(elementOf("PostalCodeToCityState"))],
    "PostalCodeToCityState",
  ],
  "a path of the old server": [
    ["/services/LocationUIHelper.asmx/GetCityStateForPostalCode"],
    "GetCityStateForPostalCode",
  ],
  "a whole address, as for a proxy": [
    [`http://old.example.com${location}/PostalCodeToCityState`, { Host: "old.example.com" }],
    "PostalCodeToCityState",
  ],
};

/** Calls that are counted. */
const unrecognized: Readonly<Record<string, Sent>> = {
  "SOAP in UTF-16": [
    endpoint,
    { "Content-Type": "application/soap+xml" },
    Buffer.from(`\ufeff${envelope(elementOf("LogInUser"))}`, "utf16le"),
  ],
  "more than the buffer before the call": [
    endpoint,
    soap12,
    envelope(elementOf("LogInUser"), "<h>x</h>".repeat(10_000)),
  ],
  "another operation": [
    location,
    soap11,
    envelope("<DeleteAll><s:Body><LogInUser/></s:Body></DeleteAll>"),
  ],
  "a name in a comment": [endpoint, soap12, envelope("<!-- <s:Body><LogInUser/> -->")],
  "a name in a text of a header": [
    endpoint,
    soap12,
    envelope("<Nothing/>", "<![CDATA[<s:Body><LogInUser/>]]>"),
  ],
  "what is not XML": [endpoint, soap12, "<LogInUser/>"],
  "no body": [endpoint, soap12, ""],
  "an operation in another case": [`${location}/postalcodetocitystate`],
  "another operation in the path": [`${location}/Nothing`],
  "a slash behind the path": [`${location}/`, soap11, envelope(elementOf("PostalCodeToCityState"))],
};
/** Requests that are no calls. */
const others: Readonly<Record<string, Sent>> = {
  "a WSDL": [`${location}?WSDL`],
  "a help page": [location],
  "a script proxy": [`${endpoint}/js`],
  "another page": [`/default.aspx?return=${location}/PostalCodeToCityState`],
  "two slashes before the operation": [`${location}//PostalCodeToCityState`],
  "a longer name": [`${location}x/PostalCodeToCityState`],
  "an escaped slash, which ours does not take": [`/api%2FLocationUIHelper.asmx/LogInUser`],
  REST: ["/api/v1/places"],
};

/** A call over each binding as in documents, and over SOAP without its action. */
function callsOf(operation: string): readonly Sent[] {
  const contract = services.find((one) => operation in one.operations) ?? assert.fail();
  return contract.bindings.flatMap((binding): readonly Sent[] => {
    const compiled = compileBinding[binding]({ contract, namespace: "urn:any" });
    const filled = fillRequest(compiled.describeRequest(operation), contract.path, []);
    const { method, url, headers, body } = filled;
    const sent: Sent = method === "GET" ? [url] : [url, headers, body ?? ""];
    if (!binding.startsWith("soap")) return [sent];
    const type = (headers["Content-Type"] ?? "").replace(/; *action=.*/, "");
    return [sent, [url, { "Content-Type": type }, body ?? ""]];
  });
}

/** Asserts that calls follow the rule of one operation, and not those of others. */
async function assertSides(calls: readonly Sent[], operation: string): Promise<void> {
  for (const [side, other] of [
    ["new", "old"],
    ["old", "new"],
  ] as const) {
    await setRules((one) => (one === operation ? side : other));
    for (const sent of calls) assert.equal(await send(sent), side, sent.join(" "));
  }
}

describe("each operation goes to either side over every binding", { skip }, () => {
  for (const operation of operations) {
    test(operation, () => assertSides(callsOf(operation), operation));
  }
});

describe("an operation is recognized", { skip }, () => {
  for (const [name, [sent, operation]] of Object.entries(recognized)) {
    test(name, () => assertSides([sent], operation));
  }

  test("where the caller waits for 100 Continue, and sends chunks", async () => {
    await setRules((one) => (one === "LogInUser" ? "new" : "old"));
    const headers = { ...soap12, Expect: "100-continue", "Transfer-Encoding": "chunked" };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(route.url + endpoint, { method: "POST", headers, agent: false });
    sent.on("response", resolve).on("error", reject);
    sent.on("continue", () => sent.end(envelope(elementOf("LogInUser"))));
    sent.flushHeaders();
    assert.equal(await text(await promise), "new");
  });
});

describe("what is not recognized goes to the old server", { skip }, () => {
  for (const [name, sent] of Object.entries({ ...unrecognized, ...others })) {
    const isCounted = name in unrecognized;
    test(`${isCounted ? "and is counted: " : ""}${name}`, async () => {
      await setRules(() => "new");
      const count = Number(await statOf("unrecognized", "BACKEND", "stot"));
      assert.equal(await send(sent), "old");
      const now = Number(await statOf("unrecognized", "BACKEND", "stot"));
      assert.equal(now - count, Number(isCounted));
    });
  }
});
