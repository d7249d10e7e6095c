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

/** Calls, and the setting that the log advises; null where the namespace is not wrong. */
const calls: readonly (readonly [
  what: string,
  path: string,
  version: keyof typeof versions,
  action: string | null,
  element: string,
  advice: string | null,
])[] = [
  [
    "an action and an element in another namespace",
    location,
    "1.1",
    `${old}${lookUp}`,
    `<${lookUp} xmlns="${old}"/>`,
    `WFH_LOCATION_NAMESPACE=${old}`,
  ],
  [
    "an element in another namespace",
    location,
    "1.1",
    null,
    `<${lookUp} xmlns="${old}"/>`,
    `WFH_LOCATION_NAMESPACE=${old}`,
  ],
  [
    "an action in another namespace",
    location,
    "1.1",
    `${old}${lookUp}`,
    `<${lookUp}/>`,
    `WFH_LOCATION_NAMESPACE=${old}`,
  ],
  [
    "an element in another namespace",
    location,
    "1.2",
    `${old}${lookUp}`,
    `<${lookUp} xmlns="${old}"/>`,
    `WFH_LOCATION_NAMESPACE=${old}`,
  ],
  [
    "an action and an element in another namespace",
    endpoint,
    "1.1",
    `${oldForms}/IWebFormsAjaxEndpoint/${log}`,
    `<${log} xmlns="${oldForms}"/>`,
    `WFH_ENDPOINT_NAMESPACE=${oldForms}`,
  ],
  [
    "an action and an element in another namespace",
    endpoint,
    "1.2",
    `${oldForms}/IWebFormsAjaxEndpoint/${log}`,
    `<${log} xmlns="${oldForms}"/>`,
    `WFH_ENDPOINT_NAMESPACE=${oldForms}`,
  ],
  [
    "an element in another namespace without a final slash",
    location,
    "1.2",
    null,
    `<${lookUp} xmlns="urn:acme-com:geo"/>`,
    "WFH_LOCATION_NAMESPACE=urn:acme-com:geo",
  ],
  [
    "an element in a namespace that is longer than any",
    location,
    "1.2",
    null,
    `<${lookUp} xmlns="urn:${"a".repeat(200)}"/>`,
    null,
  ],
  ["an unknown operation", location, "1.1", `${old}Nope`, `<Nope xmlns="${old}"/>`, null],
  [
    "a namespace that the setting does not take",
    location,
    "1.1",
    null,
    `<${lookUp} xmlns="a b"/>`,
    null,
  ],
];
for (const [what, path, version, action, element, advice] of calls) {
  const outcome = advice === null ? "no namespace is advised" : `the log advises ${advice}`;
  test(`for ${what} over SOAP ${version} ${outcome}`, async () => {
    const { envelope, type } = versions[version];
    const before = server.log.length;
    const isOlder = version === "1.1";
    const headers = new Headers({
      "Content-Type": action === null || isOlder ? type : `${type}; action="${action}"`,
    });
    if (action !== null && isOlder) headers.set("SOAPAction", `"${action}"`);
    const body = `<e:Envelope xmlns:e="${envelope}"><e:Body>${element}</e:Body></e:Envelope>`;
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    assert.ok(response.status >= 400);
    const { hint } = JSON.parse(server.log.slice(before).join(""));
    const advised = / set (WFH_\S+)$/.exec(hint)?.[1] ?? null;
    assert.equal(advised, advice, hint);
    const isFromAction = element === `<${lookUp}/>`;
    assert.equal(hint.includes("with or without the final slash"), isFromAction);
  });
}
