import assert from "node:assert/strict";
import { test } from "node:test";
import { formLimits, jsonLimits, logInBodyBytesMax, xmlLimits } from "../../src/contract/limits.ts";
import { writeEnvelope } from "../soap.ts";
import { endpointNamespace, locationNamespace, startTestServer } from "../test-server.ts";
import { send } from "./log-in-calls.ts";

const server = await startTestServer();
const asmx = "/api/LocationUIHelper.asmx";
const svc = "/api/WebFormsAjaxEndpoint.svc";

function post(path: string, type: string, body: string) {
  return send(server.url, { path, fields: [["Content-Type", type]], body });
}

const logIn = (userName: string) =>
  `<LogInUser xmlns="${endpointNamespace}"><userName>${userName}</userName></LogInUser>`;

const action = `${endpointNamespace}/IWebFormsAjaxEndpoint/LogInUser`;
const short = [
  {
    name: "a log-in over JSON",
    path: `${svc}/LogInUser`,
    type: "application/json",
    write: (text: string) => JSON.stringify({ userName: text }),
    most: logInBodyBytesMax,
    refusal: /"Message":"The body is longer than the limit of 8192 bytes\."/,
  },
  {
    name: "an automatic log-in over JSON",
    path: `${svc}/TryAutoLogIn`,
    type: "application/json",
    write: (text: string) => JSON.stringify({ other: text }),
    most: logInBodyBytesMax,
    refusal: /"Message":"The body is longer than the limit of 8192 bytes\."/,
  },
  {
    name: "a log-in over SOAP 1.2",
    path: svc,
    type: `application/soap+xml; action="${action}"`,
    write: (text: string) => writeEnvelope("1.2", logIn(text)),
    most: logInBodyBytesMax,
    refusal: /<s:Value>s:Sender<\/s:Value>.*limit of 8192 bytes\./,
  },
  {
    name: "the value in a form",
    path: `${asmx}/PostalCodeToCityState`,
    type: "application/x-www-form-urlencoded",
    write: (text: string) => `a=1&postalCode=${text}`,
    most: "a=1&postalCode=".length + formLimits.valueBytes,
    refusal: /^The value of postalCode is longer than the limit of 8192 bytes\.$/m,
  },
];
for (const { name, path, type, write, most, refusal } of short) {
  test(`${name} may have ${most} bytes, and not one more`, async () => {
    const room = most - write("").length;
    assert.equal((await post(path, type, write("x".repeat(room)))).status, 200);
    const refused = await post(path, type, write("x".repeat(room + 1)));
    assert.equal(refused.status, 413);
    assert.match(refused.body, refusal);
  });
}

test("a log-in over SOAP 1.1 is refused by the same limit", async () => {
  const refused = await send(server.url, {
    path: svc,
    fields: [
      ["Content-Type", "text/xml"],
      ["SOAPAction", `"${action}"`],
    ],
    body: writeEnvelope("1.1", logIn("x".repeat(logInBodyBytesMax))),
  });
  assert.equal(refused.status, 413);
  assert.match(refused.body, /<faultcode>s:Client<\/faultcode>.*limit of 8192 bytes\./);
});

test("a log-out of more bytes than a log-in may have is refused", async () => {
  const body = `{${" ".repeat(logInBodyBytesMax)}}`;
  assert.equal((await post("/api/v1/log-out", "application/json", body)).status, 413);
});

test("a form may have the view state of a whole page beside the part", async () => {
  const body = `__VIEWSTATE=${"%2F".repeat(20_000)}&postalCode=10001`;
  const found = await post(
    `${asmx}/PostalCodeToCityState`,
    "application/x-www-form-urlencoded",
    body,
  );
  assert.equal(found.status, 200);
  assert.match(found.body, /<City>New York<\/City>/);
});

test("a page request may have more bytes than a log-in", async () => {
  const body = JSON.stringify({ other: "x".repeat(logInBodyBytesMax) });
  assert.equal((await post(`${svc}/LogPageRequestAsync`, "application/json", body)).status, 200);
});

const lookUp = (content: string) =>
  writeEnvelope(
    "1.2",
    `<PostalCodeToCityState xmlns="${locationNamespace}"><postalCode>10001</postalCode>${content}</PostalCodeToCityState>`,
  );
const full = [
  {
    name: "values",
    path: `${asmx}/PostalCodeToCityState`,
    type: "application/json",
    body: `{"postalCode":"10001","a":[${"[1.5],".repeat(10_000)}1]}`,
    status: 500,
    refusal: `The body holds more than ${jsonLimits.values} values.`,
  },
  {
    name: "values in the JavaScript of old pages",
    path: `${asmx}/PostalCodeToCityState`,
    type: "application/json",
    body: `{'postalCode':'10001',a:[${"[1.5],".repeat(10_000)}1]}`,
    status: 500,
    refusal: `The body holds more than ${jsonLimits.values} values.`,
  },
  {
    name: "attributes",
    path: asmx,
    type: "application/soap+xml",
    body: lookUp('<a b="" c="" d="" e=""/>'.repeat(100)),
    status: 400,
    refusal: `More than ${xmlLimits.attributes} attributes.`,
  },
  {
    name: "comments",
    path: asmx,
    type: "application/soap+xml",
    body: lookUp("<!---->".repeat(9_000)),
    status: 400,
    refusal: `More than ${xmlLimits.marks} tags, references and line ends.`,
  },
];
for (const { name, path, type, body, status, refusal } of full) {
  test(`a look-up with too many ${name} is refused, and says so`, async () => {
    const response = await post(path, type, body);
    assert.equal(response.status, status);
    assert.ok(response.body.includes(refusal), response.body);
  });
}
