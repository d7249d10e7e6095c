import assert from "node:assert/strict";
import { test } from "node:test";
import { createXmlReader, XmlError } from "../../src/codec/xml/reader.ts";
import { exchange, readResponse } from "../exchange.ts";
import { endpointNamespace, startTestServer } from "../test-server.ts";

const server = await startTestServer();
const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
}

function post(path: string, fields: string, body = ""): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  return `${head}${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const xml = "Content-Type: text/xml\r\n";
const soap11 = "http://schemas.xmlsoap.org/soap/envelope/";

function envelope(content: string, namespace = soap11): string {
  return `<e:Envelope xmlns:e="${namespace}">${content}</e:Envelope>`;
}
const anything = "<e:Body><a/></e:Body>";

/** Something of the caller's that a response repeats. */
interface Quote {
  readonly what: string;
  /** Most characters of it that are repeated. */
  readonly most: number;
  /** A request that says it. */
  request(value: string): string;
  /** Text around it in the response. */
  readonly before: string;
  readonly after: string;
  /** Text behind it where it was cut, if another. */
  readonly afterCut?: string;
}

const quotes: readonly Quote[] = [
  {
    what: "value of a field",
    most: 200,
    request: (value) => get(`${location}/GetStateListForCountryId?countryId=${value}`),
    before: "Cannot convert ",
    after: " to System.Int32.",
    afterCut: "… to System.Int32.",
  },
  {
    what: "name of an operation",
    most: 200,
    request: (value) => get(`${location}/${value}`),
    before: "",
    after: " Web Service method name is not valid.",
  },
  {
    what: "path behind its slash",
    most: 199,
    request: (value) => get(`/${value}`),
    before: "Nothing is served at /",
    after: ". Available: ",
  },
  {
    what: "content type of an operation",
    most: 200,
    request: (value) => post(`${location}/GetCity`, `Content-Type: ${value}\r\n`),
    before: "Request format is invalid: ",
    after: ".",
  },
  {
    what: "content type of an envelope",
    most: 200,
    request: (value) => post(location, `Content-Type: ${value}\r\n`),
    before: "Found ",
    after: ", expected text/xml or application/soap+xml.",
  },
  {
    what: "content encoding",
    most: 40,
    request: (value) => post(location, `${xml}Content-Encoding: ${value}\r\n`),
    before: "The content encoding ",
    after: " is not supported",
  },
  {
    what: "charset",
    most: 40,
    request: (value) => post(location, `Content-Type: text/xml; charset=${value}\r\n`, "<a/>"),
    before: "The encoding ",
    after: " is not supported",
  },
  {
    what: "action sent to the location helper",
    most: 500,
    request: (value) => post(location, `${xml}SOAPAction: ${value}\r\n`, envelope(anything)),
    before: "HTTP Header SOAPAction: ",
    after: ".",
  },
  {
    what: "action sent to the AJAX endpoint",
    most: 500,
    request: (value) => post(endpoint, `${xml}SOAPAction: ${value}\r\n`, envelope(anything)),
    before: "The message with Action '",
    after: "' cannot be processed",
  },
  {
    what: "namespace of an envelope",
    most: 200,
    request: (value) => post(location, xml, envelope(anything, value)),
    before: "Envelope namespace ",
    after: " was unexpected.",
  },
  {
    what: "message id",
    most: 1_000,
    request: (value) => {
      const id = `<MessageID xmlns="http://www.w3.org/2005/08/addressing">${value}</MessageID>`;
      const action = `SOAPAction: ${endpointNamespace}/IWebFormsAjaxEndpoint/LogPageRequestAsync\r\n`;
      const call = `<LogPageRequestAsync xmlns="${endpointNamespace}"/>`;
      const content = `<e:Header>${id}</e:Header><e:Body>${call}</e:Body>`;
      return post(endpoint, xml + action, envelope(content));
    },
    before: "<a:RelatesTo>",
    after: "</a:RelatesTo>",
  },
];

for (const { what, most, request, before, after, afterCut = after } of quotes) {
  test(`a response repeats ${most} characters of the ${what} and no more`, async () => {
    for (const [sent, rest] of [
      [most, after],
      [most + 1, afterCut],
    ] as const) {
      const { body } = readResponse(await exchange(server.url, request("q".repeat(sent))));
      const said = before + "q".repeat(most) + rest;
      assert.ok(body.includes(said), `expected ${said} in ${body}`);
      assert.ok(!body.includes("q".repeat(most + 1)), body);
    }
  });
}

test("the message of an XmlError is at most 200 characters long", () => {
  const prefix = "q".repeat(220);
  assert.throws(
    () => createXmlReader()(`<${prefix}:a/>`),
    (reason) =>
      reason instanceof XmlError &&
      reason.message === `unbound namespace prefix: "${prefix}`.slice(0, 200),
  );
});
