import assert from "node:assert/strict";
import { test } from "node:test";
import { type EnvelopeVersion, soapPost } from "../soap.ts";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer();
const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const old = "http://old.example.org/services/";
const oldForms = "http://old.example.org/forms";
const lookUp = "PostalCodeToCityState";
const log = "LogPageRequestAsync";

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
  version: EnvelopeVersion,
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
    const before = server.log.length;
    const request = soapPost(version, content, sent ?? undefined);
    const response = await fetch(server.url + path, request);
    assert.ok(response.status >= 400);
    const { hint } = JSON.parse(server.log.slice(before).join(""));
    const advised = / set (WFH_\S+)$/.exec(hint)?.[1] ?? null;
    assert.equal(advised, expected, hint);
    const isFromAction = content === `<${lookUp}/>`;
    assert.equal(hint.includes("with or without the final slash"), isFromAction);
  });
}
