import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { exchange } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { listCases, recordedResponse, responseTo } from "./cases.ts";

// Every wire case at the paths of an old server. They are as long as ours: no length changes.

const oldPaths = [
  [locationHelper.path, "/Old/LocationUIHelper.asmx"],
  [ajaxEndpoint.path, "/Old/WebFormsAjaxEndpoint.svc"],
] as const;
const [[location, oldLocation], [endpoint, oldEndpoint]] = oldPaths;
const server = await startTestServer({
  WFH_LOCATION_PATHS: `${oldLocation}, /my-app_2/~look.ups`,
  WFH_ENDPOINT_PATHS: `${oldEndpoint},${oldEndpoint}/soap12,${endpoint}/ajax`,
});

function move(text: string): string {
  return oldPaths.reduce((moved, [path, old]) => moved.replaceAll(path, old), text);
}

const cases = listCases().filter((name) => !recordedResponse(name).includes("Nothing is served"));
for (const name of cases) {
  test(`wire case ${name} at the path of an old server`, async () => {
    assert.equal(await responseTo(name, server.url, move), move(recordedResponse(name)));
  });
}

function get(path: string): Promise<string> {
  return exchange(server.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
}

function call(path: string, type: string, body: string): Promise<string> {
  const action = `SOAPAction: "http://example.org/forms/IWebFormsAjaxEndpoint/TryAutoLogIn"`;
  const head = ["Host: a", "Connection: close", `Content-Type: ${type}`, action];
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const lines = [`POST ${path} HTTP/1.1`, ...head, length, "", body];
  return exchange(server.url, lines.join("\r\n"));
}

const soap = (version: string) =>
  `<e:Envelope xmlns:e="${version}"><e:Body><TryAutoLogIn xmlns="http://example.org/forms"/></e:Body></e:Envelope>`;
const soap11 = soap("http://schemas.xmlsoap.org/soap/envelope/");
const soap12 = soap("http://www.w3.org/2003/05/soap-envelope");

describe("an address of one endpoint of WCF, below that of the service", () => {
  for (const path of [`${oldEndpoint}/soap12`, `${endpoint}/ajax`]) {
    const moved = (text: string) => text.replace(/^(?:Date|X-Request-Id): .*\r\n/gm, "");
    for (const [name, type, at, body] of [
      ["SOAP 1.1", "text/xml", "", soap11],
      ["SOAP 1.2", "application/soap+xml", "", soap12],
      ["JSON", "application/json", "/TryAutoLogIn", "{}"],
    ] as const) {
      test(`${path} over ${name}`, async () => {
        const expected = moved(await call(endpoint + at, type, body));
        assert.match(expected, /^HTTP\/1\.1 200/);
        assert.equal(moved(await call(path + at, type, body)), expected);
      });
    }
    test(`${path} has its WSDL and script proxies, with its own address in them`, async () => {
      const wsdl = await get(`${path}?wsdl`);
      assert.ok(wsdl.includes(`location="http://a${path}"`), wsdl);
      assert.ok(!wsdl.includes(`location="http://a${endpoint}"`));
      for (const script of ["js", "jsdebug"]) {
        assert.ok((await get(`${path}/${script}`)).includes(`"${path}"`));
      }
    });
  }

  test("the operations of the service itself are as before", async () => {
    assert.match(await call(`${endpoint}/TryAutoLogIn`, "application/json", "{}"), / 200 /);
    assert.match(await call(`${oldEndpoint}/TryAutoLogIn`, "application/json", "{}"), / 200 /);
  });
});

test("a further path is spelled in any case, and shows the spelling of the setting", async () => {
  const wsdl = await get(`/old//LOCATIONuihelper.%61smx?WSDL`);
  assert.ok(wsdl.includes(`location="http://a${oldLocation}"`), wsdl);
});

test("help pages and forms call the path at which they were asked", async () => {
  const page = await get(`${endpoint}/ajax?op=LogPageRequestAsync`);
  const text = page.replace(/<[^>]*>/g, "");
  assert.ok(text.includes(`POST ${endpoint}/ajax/LogPageRequestAsync HTTP/1.1`), text);
  assert.ok(page.includes('<a class="brand" href="../../">'), page);
});

test("an unknown address names all paths", async () => {
  const text = await get("/Older/LocationUIHelper.asmx");
  for (const path of [location, oldLocation, "/my-app_2/~look.ups", `${endpoint}/ajax`]) {
    assert.ok(text.includes(path), text);
  }
});
