import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { compileRecognizer } from "../src/recognize.ts";

const recognize = compileRecognizer([
  { contract: locationHelper, paths: ["/Services/Old.asmx"] },
  { contract: ajaxEndpoint, paths: [] },
]);
const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const soap11 = ["Content-Type", "text/xml; charset=utf-8"];
const envelope = (name: string) =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="s"><s:Header><a xmlns="a"/></s:Header><s:Body><o:${name} xmlns:o="any"/></s:Body></s:Envelope>`;

/** Method, target, headers and body of a request; its service, operation and binding. */
type Case = readonly [
  request: readonly [string, string, (readonly string[])?, (string | Buffer)?],
  expected: string | undefined,
];

const cases: Readonly<Record<string, Case>> = {
  "HTTP GET": [
    ["GET", `${location}/PostalCodeToCityState?postalCode=1`],
    "LocationUIHelper PostalCodeToCityState http-get",
  ],
  "HTTP POST of a form": [
    [
      "POST",
      `${location}/PostalCodeToCityState`,
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    "LocationUIHelper PostalCodeToCityState http-post",
  ],
  JSON: [
    ["POST", `${endpoint}/TryAutoLogIn`, ["content-type", "application/json; charset=utf-8"]],
    "WebFormsAjaxEndpoint TryAutoLogIn json",
  ],
  "a beacon": [
    ["POST", `${endpoint}/LogPageRequestAsync`, ["Content-Type", "text/plain"]],
    "WebFormsAjaxEndpoint LogPageRequestAsync json",
  ],
  "a binding that the service does not have": [
    ["GET", `${endpoint}/LogInUser`],
    "WebFormsAjaxEndpoint LogInUser null",
  ],
  "SOAP 1.1 by the last segment of its action, whatever the namespace": [
    ["POST", location, [...soap11, "SOAPAction", '"urn:any/GetStateListForCountryId"'], "not XML"],
    "LocationUIHelper GetStateListForCountryId soap11",
  ],
  "SOAP 1.1 with an empty action by its Body": [
    ["POST", location, [...soap11, "SOAPAction", '""'], envelope("PostalCodeToCityState")],
    "LocationUIHelper PostalCodeToCityState soap11",
  ],
  "SOAP 1.2 by the action of its content type": [
    ["POST", endpoint, ["Content-Type", 'application/soap+xml; action="x/LogInUser"']],
    "WebFormsAjaxEndpoint LogInUser soap12",
  ],
  "SOAP 1.2 without an action by its Body, in UTF-16": [
    [
      ...(["POST", endpoint] as const),
      ["Content-Type", "application/soap+xml"],
      Buffer.from(`\ufeff${envelope("LogInUser")}`, "utf16le"),
    ],
    "WebFormsAjaxEndpoint LogInUser soap12",
  ],
  "another operation": [
    ["POST", location, soap11, envelope("DeleteAll")],
    "LocationUIHelper null soap11",
  ],
  "what is not XML": [["POST", location, soap11, "<a"], "LocationUIHelper null soap11"],
  "a WSDL": [["GET", `${location}?WSDL`], "LocationUIHelper null null"],
  "a script proxy": [["GET", `${endpoint}/js`], "WebFormsAjaxEndpoint null null"],
  "a path in another case, with escapes and empty segments": [
    ["GET", "//API/./locationUIhelper%2Easmx/postalcodetocitystate"],
    "LocationUIHelper PostalCodeToCityState http-get",
  ],
  "a path of the old server": [
    ["GET", "/services/old.asmx/PostalCodeToCityState"],
    "LocationUIHelper PostalCodeToCityState http-get",
  ],
  "a whole address, as for a proxy": [
    ["GET", `http://old.example.com${location}?WSDL`],
    "LocationUIHelper null null",
  ],
  "another page": [["GET", "/default.aspx?return=/api/LocationUIHelper.asmx"], undefined],
  "a longer name": [["GET", `${location}x`], undefined],
};

describe("a request is recognized", () => {
  for (const [name, [[method, target, headers = [], body = ""], expected]] of Object.entries(
    cases,
  )) {
    test(name, () => {
      const call = recognize({ method, target, headers }, Buffer.from(body as string));
      const found = call && `${call.service} ${call.operation} ${call.binding}`;
      assert.equal(found, expected);
    });
  }
});
