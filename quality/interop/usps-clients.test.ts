import assert from "node:assert/strict";
import https from "node:https";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { isSameCity, readUspsList } from "../../scripts/gazetteer/usps-list.ts";
import { runMono, runProgram } from "../harness/programs.ts";
import { missingProxy, prepareProxy } from "../harness/tls-proxy.ts";
import { besideThis } from "./run-client.ts";
import { missingClients } from "./soap-clients.ts";

const server = await startTestServer({ WFH_COMPATIBLE_APIS: "usps,usps-v3,zippopotam" });

/** A hundred codes from all over the country that USPS and this server spell in the same way. */
const wanted = readUspsList()
  .filter(({ city }) => !/^MC|^ST |^S /.test(city))
  .filter((_zip, index) => index % 373 === 0)
  .slice(0, 100);
assert.equal(wanted.length, 100);
const codes = [...wanted.map(({ zip }) => zip), "00000"];
const expected = [...wanted.map(({ city, state }) => `${city}, ${state}`), "Invalid Zip Code."];

/** Splits the output of a client, which has a line for each code: its place, or the error. */
function linesOf(output: string): readonly string[] {
  return output.trimEnd().split("\n");
}

/** Packages of JavaScript without types. */
const require = createRequire(import.meta.url);

test("npm usps-webtools finds 100 codes, and not an unknown one", async () => {
  interface Client {
    cityStateLookup(
      zip: string,
      done: (error: Error | null, found: { city: string; state: string }) => void,
    ): void;
  }
  const Usps = require("usps-webtools") as new (options: object) => Client;
  const client = new Usps({ server: `${server.url}/ShippingAPI.dll`, userId: "any" });
  const lookUp = (code: string) =>
    new Promise<string>((resolve) => {
      client.cityStateLookup(code, (error, found) =>
        resolve(error === null ? `${found.city}, ${found.state}` : error.message),
      );
    });
  assert.deepEqual(await Promise.all(codes.map(lookUp)), expected);
});

/** Leads all connections to one server, whatever their host; TLS ends before a server. */
class RedirectingAgent extends https.Agent {
  override createConnection() {
    return connect(Number(new URL(server.url).port), "127.0.0.1");
  }
}

test("npm usps-webtools-promise finds 100 codes, and not an unknown one", async () => {
  interface Client {
    cityStateLookup(zip: string): Promise<{ City: string; State: string } | Error>;
  }
  const { default: Usps } = require("usps-webtools-promise") as {
    default: new (options: object) => Client;
  };
  const usual = https.globalAgent;
  https.globalAgent = new RedirectingAgent();
  try {
    const client = new Usps({ userId: "any" });
    const lookUp = async (code: string) => {
      const found = await client.cityStateLookup(code);
      return found instanceof Error ? found.message : `${found.City}, ${found.State}`;
    };
    assert.deepEqual(await Promise.all(codes.map(lookUp)), expected);
  } finally {
    https.globalAgent.destroy();
    https.globalAgent = usual;
  }
});

test("PHP with SimpleXML finds 100 codes, and not an unknown one", {
  skip: missingClients.simpleXml,
}, async () => {
  const output = await runProgram("php", [besideThis("usps-client.php"), server.url, ...codes]);
  assert.deepEqual(linesOf(output), expected);
});

test("C# with HttpWebRequest and XmlDocument finds 100 codes, and not an unknown one", {
  skip: missingClients.mono,
}, async () => {
  const program = join(temporaryFolder(), "client.exe");
  const compiler = "/usr/lib/mono/4.5/mcs.exe";
  await runMono([compiler, `-out:${program}`, besideThis("usps-client.cs")]);
  assert.deepEqual(linesOf(await runMono([program, server.url, ...codes])), expected);
});

test("Perl with Business::US::USPS::WebTools finds 100 codes over TLS, and not an unknown one", {
  skip: missingClients.uspsWebTools || missingProxy,
}, async () => {
  const proxy = await prepareProxy({ limitsLogIns: false });
  await proxy.start(server.url);
  const output = await runProgram("env", [
    `MOJO_CA_FILE=${proxy.authority}`,
    "perl",
    besideThis("usps-client.pl"),
    proxy.url,
    ...codes,
  ]);
  assert.deepEqual(linesOf(output), expected);
});

test("exchanges of USPS Addresses 3.0 are right for 100 codes, and for an unknown one", async () => {
  const grant = { grant_type: "client_credentials", client_id: "any", client_secret: "any" };
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify(grant);
  const granted = await fetch(`${server.url}/oauth2/v3/token`, { method: "POST", headers, body });
  const { access_token: token } = JSON.parse(await granted.text());
  const lookUp = async (zip: string) => {
    const response = await fetch(`${server.url}/addresses/v3/city-state?ZIPCode=${zip}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const found = await Promise.all(wanted.map(({ zip }) => lookUp(zip)));
  assert.deepEqual(
    found,
    wanted.map(({ zip, city, state }) => ({ status: 200, body: { city, state, ZIPCode: zip } })),
  );
  const unknown = await lookUp("00000");
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.error.code, "404");
});

test("exchanges of Zippopotam are right for 100 codes, and for an unknown one", async () => {
  let located = 0;
  for (const { zip, city, state } of wanted) {
    const response = await fetch(`${server.url}/us/${zip}`);
    assert.equal(response.status, 200);
    const { places, ...code } = JSON.parse(await response.text());
    assert.deepEqual(code, {
      "post code": zip,
      country: "United States",
      "country abbreviation": "US",
    });
    const [place] = places;
    assert.ok(isSameCity(place["place name"], city), `${place["place name"]} ${city}`);
    assert.equal(place["state abbreviation"], state);
    const point = `${place.latitude} ${place.longitude}`;
    assert.match(point, /^(?:-?\d+(?:\.\d+)? -?\d+(?:\.\d+)?| )$/);
    if (point !== " ") located += 1;
  }
  assert.ok(located >= 98, `${located} codes have coordinates`);
  const unknown = await fetch(`${server.url}/us/00000`);
  assert.deepEqual([unknown.status, await unknown.text()], [404, "{}"]);
});
