import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { XmlElement } from "../../src/codec/xml/reader.ts";
import { createXmlReader } from "../../src/codec/xml/reader.ts";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { exchange, readResponse } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer();
const based = await startTestServer({ WFH_BASE_URL: "https://public.example/forms" });
const proxied = await startTestServer({ WFH_TRUSTED_PROXIES: "127.0.0.1" });

const readXml = createXmlReader();
const { path: location } = locationHelper;
const { path: endpoint } = ajaxEndpoint;

/** The response to a GET with header lines of the test's choice. */
async function get(url: string, target: string, fields: readonly string[] = ["Host: a.example"]) {
  const head = [`GET ${target} HTTP/1.1`, ...fields, "Connection: close"];
  return readResponse(await exchange(url, Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1")));
}

/** Values of one attribute wherever it stands in a document. */
function valuesOf({ attributes, children }: XmlElement, name: string): readonly string[] {
  const own = attributes[name]?.value;
  return [...(own === undefined ? [] : [own]), ...children.flatMap((one) => valuesOf(one, name))];
}

/** Addresses of its service in a WSDL. */
async function locationsIn(url: string, target: string, fields?: readonly string[]) {
  const { status, body } = await get(url, target, fields);
  assert.equal(status, 200, body);
  const values = valuesOf(readXml(body), "location").filter((value) => value.includes("://"));
  assert.notEqual(values.length, 0);
  return [...new Set(values)];
}

const wsdls = [`${location}?WSDL`, `${endpoint}?wsdl`, `${endpoint}?singleWsdl`];

for (const target of wsdls) {
  const path = target.split("?")[0] ?? "";
  describe(`the addresses in ${target}`, () => {
    test("are those of the request's Host", async () => {
      const found = await locationsIn(server.url, target, ["Host: Forms.Example:8081"]);
      assert.deepEqual(found, [`http://forms.example:8081${path}`]);
    });
    test("are of one caller's Host each, though documents are kept", async () => {
      for (const host of ["one.example", "two.example", "one.example"]) {
        const found = await locationsIn(server.url, target, [`Host: ${host}`]);
        assert.deepEqual(found, [`http://${host}${path}`]);
      }
    });
    test("are below the base address where one is set", async () => {
      const found = await locationsIn(based.url, target, ["Host: evil.example"]);
      assert.deepEqual(found, [`https://public.example/forms${path}`]);
    });
    test("have the scheme that a trusted proxy forwards", async () => {
      const fields = ["Host: a.example", "X-Forwarded-Proto: https"];
      assert.deepEqual(await locationsIn(proxied.url, target, fields), [
        `https://a.example${path}`,
      ]);
      assert.deepEqual(await locationsIn(server.url, target, fields), [`http://a.example${path}`]);
    });
  });
}

const documents: readonly { target: string; root: string }[] = [
  { target: `${location}?wsdl`, root: "definitions" },
  { target: `${location}?WsDl=`, root: "definitions" },
  { target: `${location}?foo=1&wsdl`, root: "definitions" },
  { target: `${location.toLowerCase()}?WSDL`, root: "definitions" },
  { target: `${location}?DISCO`, root: "discovery" },
  { target: `${endpoint}?WSDL`, root: "definitions" },
  { target: `${endpoint}?singlewsdl`, root: "definitions" },
  { target: `${endpoint}?disco`, root: "discovery" },
  { target: `${endpoint}?xsd=xsd0`, root: "schema" },
];
for (const { target, root } of documents) {
  test(`${target} returns XML that begins with ${root}`, async () => {
    const { status, headers, body } = await get(server.url, target);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/xml; charset=utf-8");
    assert.equal(headers.get("cache-control"), "private, max-age=0");
    assert.equal(headers.get("content-security-policy"), "sandbox; frame-ancestors 'none'");
    assert.equal(readXml(body).name, root);
  });
}

const missing: readonly { target: string; reason: string }[] = [
  { target: `${location}?wsdl=1`, reason: "XML Web service description was not found." },
  { target: `${location}?schema=1`, reason: "Schema not found." },
  { target: `${location}?disco=2`, reason: "Discovery document not found." },
  { target: `${endpoint}?wsdl=wsdl0`, reason: "XML Web service description was not found." },
  { target: `${endpoint}?xsd=xsd1`, reason: "Schema not found." },
  { target: `${endpoint}?xsd=__proto__`, reason: "Schema not found." },
];
for (const { target, reason } of missing) {
  test(`${target} names an unknown document`, async () => {
    const { status, headers, body } = await get(server.url, target);
    assert.equal(status, 404);
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(body, `${reason}\n`);
  });
}

const pages = [location, `${location}?foo=1`, `${location}?xsd=xsd0`, `${location}?schema`];
for (const target of [...pages, endpoint, `${endpoint}?schema=1`]) {
  test(`${target} asks for no document, and returns the help page`, async () => {
    const { status, headers } = await get(server.url, target);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  });
}

for (const path of [location, endpoint]) {
  test(`${path}/js and /jsdebug response the script proxy in any case`, async () => {
    const [short, long] = await Promise.all([
      get(server.url, `${path}/JS`),
      get(server.url, `${path}/jsDebug`),
    ]);
    for (const { status, headers, body } of [short, long]) {
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "application/x-javascript; charset=utf-8");
      assert.ok(body.includes(`"${path}"`), "it calls the origin of the page");
    }
    assert.ok(short.body.length < long.body.length);
  });

  test(`${path}/js calls the base address where one is set`, async () => {
    const { body } = await get(based.url, `${path}/js`);
    assert.ok(body.includes(`"https://public.example/forms${path}"`));
  });
}

test("a document that cannot be made is in the log as a refusal", async () => {
  const before = server.log.length;
  await get(server.url, `${location}?wsdl=7`);
  assert.equal(server.log.slice(before).filter((line) => line.includes('"status":404')).length, 1);
});
