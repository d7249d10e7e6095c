import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer();
const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const old = "http://old.example.org/services/";
const oldForms = "http://old.example.org/forms";
const lookUp = "PostalCodeToCityState";
const log = "LogPageRequestAsync";

const versions = {
  "1.1": { envelope: "http://schemas.xmlsoap.org/soap/envelope/", type: "text/xml" },
  "1.2": { envelope: "http://www.w3.org/2003/05/soap-envelope", type: "application/soap+xml" },
} as const;

const action = `${old}${lookUp}`;
const element = `<${lookUp} xmlns="${old}"/>`;
const advice = `WFH_LOCATION_NAMESPACE=${old}`;
const formsAction = `${oldForms}/IWebFormsAjaxEndpoint/${log}`;
const formsElement = `<${log} xmlns="${oldForms}"/>`;
const formsAdvice = `WFH_ENDPOINT_NAMESPACE=${oldForms}`;
const geo = "urn:acme-com:geo";
const geoElement = `<${lookUp} xmlns="${geo}"/>`;
const geoAdvice = `WFH_LOCATION_NAMESPACE=${geo}`;
const longElement = `<${lookUp} xmlns="urn:${"a".repeat(200)}"/>`;

/** Calls, and the setting that the log advises; null where the namespace is not wrong. */
const calls: readonly (readonly [
  what: string,
  path: string,
  version: keyof typeof versions,
  action: string | null,
  element: string,
  advice: string | null,
])[] = [
  ["both in another namespace", location, "1.1", action, element, advice],
  ["an element in another namespace", location, "1.1", null, element, advice],
  ["an action in another namespace", location, "1.1", action, `<${lookUp}/>`, advice],
  ["both in another namespace", location, "1.2", action, element, advice],
  ["both in another namespace", endpoint, "1.1", formsAction, formsElement, formsAdvice],
  ["both in another namespace", endpoint, "1.2", formsAction, formsElement, formsAdvice],
  ["a namespace without a final slash", location, "1.2", null, geoElement, geoAdvice],
  ["a namespace that is longer than any", location, "1.2", null, longElement, null],
  ["an unknown operation", location, "1.1", `${old}Nope`, `<Nope xmlns="${old}"/>`, null],
  ["an invalid namespace", location, "1.1", null, `<${lookUp} xmlns="a b"/>`, null],
];
for (const [what, path, version, sent, content, expected] of calls) {
  const outcome = expected === null ? "no namespace is advised" : `the log advises ${expected}`;
  test(`for ${what} over SOAP ${version} ${outcome}`, async () => {
    const { envelope, type } = versions[version];
    const before = server.log.length;
    const isOlder = version === "1.1";
    const headers = new Headers({
      "Content-Type": sent === null || isOlder ? type : `${type}; action="${sent}"`,
    });
    if (sent !== null && isOlder) headers.set("SOAPAction", `"${sent}"`);
    const body = `<e:Envelope xmlns:e="${envelope}"><e:Body>${content}</e:Body></e:Envelope>`;
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    assert.ok(response.status >= 400);
    const { hint } = JSON.parse(server.log.slice(before).join(""));
    const advised = / set (WFH_\S+)$/.exec(hint)?.[1] ?? null;
    assert.equal(advised, expected, hint);
    const isFromAction = content === `<${lookUp}/>`;
    assert.equal(hint.includes("with or without the final slash"), isFromAction);
  });
}
