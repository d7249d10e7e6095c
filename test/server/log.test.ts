import assert from "node:assert/strict";
import { test } from "node:test";
import { logText, openLog } from "../../src/server/log.ts";
import { endpointNamespace, locationNamespace, startTestServer } from "../test-server.ts";

const texts: readonly (readonly [string, string, string])[] = [
  ["as it is", "Grüße, 😀", "Grüße, 😀"],
  ["of 1,000 characters as it is", "x".repeat(1_000), "x".repeat(1_000)],
  ["of more characters cut", "x".repeat(1_001), `${"x".repeat(1_000)}…`],
  ["cut before what it escapes grows", "\u2028".repeat(1_001), `${"\\u2028".repeat(1_000)}…`],
  [
    "without characters that end a line somewhere",
    "a\u0085b\u2029c\u007fd",
    "a\\u0085b\\u2029c\\u007fd",
  ],
];
for (const [rule, text, expected] of texts) {
  test(`logText() gives a text ${rule}`, () => assert.equal(logText(text), expected));
}

test("openLog() writes an object for each line, with level by name and time in UTC, down to its level", () => {
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => lines.push(line) });
  log.info("left out");
  log.warn({ port: 1 }, "kept\nas one line");
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /^\{.*\}\n$/);
  const { time, ...rest } = JSON.parse(lines[0] ?? "");
  assert.deepEqual(rest, { level: "warn", port: 1, msg: "kept\nas one line" });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

const server = await startTestServer({
  WFH_LOG_LEVEL: "debug",
  WFH_BODY_BYTES_MAX: "1024",
  WFH_TRUSTED_PROXIES: "127.0.0.1",
});

/** Stands for whatever callers would not want to find in a log; no test sends it as a name. */
const sentinel = "c4n4ry";
const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const action = `${endpointNamespace}/IWebFormsAjaxEndpoint/LogPageRequestAsync`;

function envelope(content: string, version = "http://schemas.xmlsoap.org/soap/envelope/"): string {
  return `<e:Envelope xmlns:e="${version}">${content}</e:Envelope>`;
}
function body(element: string): string {
  return envelope(`<e:Body>${element}</e:Body>`);
}
const states = (value: string) =>
  `<GetStateListForCountryId xmlns="${locationNamespace}">${value}</GetStateListForCountryId>`;
const page = (value: string) =>
  `<LogPageRequestAsync xmlns="${endpointNamespace}">${value}</LogPageRequestAsync>`;

const form = { "Content-Type": "application/x-www-form-urlencoded" };
const xml = { "Content-Type": "text/xml" };
const soap = { "Content-Type": "text/xml", SOAPAction: action };
const json = { "Content-Type": "application/json" };

interface Sent {
  readonly what: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
}

const refusedCalls: readonly Sent[] = [
  {
    what: "query",
    path: `${location}/GetStateListForCountryId?countryId=${sentinel}`,
    status: 500,
  },
  { what: "query of nothing", path: `/nope?token=${sentinel}`, status: 404 },
  { what: "query of no operation", path: `${location}/Nope?token=${sentinel}`, status: 500 },
  {
    what: "form",
    path: `${location}/GetStateListForCountryId`,
    headers: form,
    body: `countryId=${sentinel}`,
    status: 500,
  },
  {
    what: "form with other fields",
    path: `${location}/GetStateListForCountryId`,
    headers: form,
    body: `other=${sentinel}`,
    status: 500,
  },
  {
    what: "part of an envelope",
    path: location,
    headers: xml,
    body: body(states(`<countryId>${sentinel}</countryId>`)),
    status: 500,
  },
  {
    what: "header block that must be understood",
    path: location,
    headers: xml,
    body: envelope(
      `<e:Header><h e:mustUnderstand="1">${sentinel}</h></e:Header><e:Body>${states("")}</e:Body>`,
    ),
    status: 500,
  },
  {
    what: "malformed envelope",
    path: location,
    headers: xml,
    body: `<a b="${sentinel}">`,
    status: 400,
  },
  {
    what: "prefix of an envelope",
    path: location,
    headers: xml,
    body: body(`<${sentinel}:a/>`),
    status: 400,
  },
  {
    what: "too long a body",
    path: location,
    headers: xml,
    body: sentinel.repeat(999),
    status: 413,
  },
  {
    what: "field of a page request",
    path: endpoint,
    headers: soap,
    body: body(page(`<form_id>${sentinel}</form_id>`)),
    status: 500,
  },
  {
    what: "text between fields",
    path: endpoint,
    headers: soap,
    body: body(page(sentinel)),
    status: 500,
  },
  {
    what: "member of a JSON body",
    path: `${endpoint}/LogPageRequestAsync`,
    headers: json,
    body: `{"form_id":"${sentinel}"}`,
    status: 500,
  },
  {
    what: "body that is not JSON",
    path: `${endpoint}/LogPageRequestAsync`,
    headers: json,
    body: `{"form_id":${sentinel}}`,
    status: 500,
  },
  {
    what: "page of another origin",
    path: `${endpoint}/LogPageRequestAsync`,
    headers: { ...json, Origin: "https://evil.example" },
    body: `{"pageRequestUrl":"https://a.example/?q=${sentinel}"}`,
    status: 403,
  },
];
const acceptedCalls: readonly Sent[] = [
  {
    what: "look-up",
    path: `${location}/PostalCodeToCityState?postalCode=${sentinel}`,
    status: 200,
  },
  {
    what: "page request",
    path: `${endpoint}/LogPageRequestAsync`,
    headers: json,
    body: `{"pageRequestUrl":"https://a.example/?q=${sentinel}"}`,
    status: 200,
  },
];

/** Headers that say something of the caller; fetch would set or refuse some of them by itself. */
const personal = {
  Authorization: `Bearer ${sentinel}`,
  Cookie: `session=${sentinel}`,
  Referer: `https://a.example/${sentinel}`,
  "User-Agent": sentinel,
  "X-Forwarded-For": "203.0.113.77",
  "X-Anything": sentinel,
};

for (const { what, path, headers, body: sent, status } of [...refusedCalls, ...acceptedCalls]) {
  test(`the log holds nothing that was sent as the value of a ${what}, nor of headers`, async () => {
    const before = server.log.length;
    const response = await fetch(server.url + path, {
      headers: { ...personal, ...headers },
      ...(sent === undefined ? {} : { method: "POST", body: sent }),
    });
    assert.equal(response.status, status);
    const said = server.log.slice(before).join("");
    assert.doesNotMatch(said, new RegExp(`${sentinel}|203\\.0\\.113`));
    if (status !== 200) assert.match(said, new RegExp(`"${response.headers.get("x-request-id")}"`));
  });
}
