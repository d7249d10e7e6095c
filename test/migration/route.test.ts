import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { calls, startRoute, startStandIn, textOf } from "./route-fixture.ts";

const old = await startStandIn("the old one");
const ours = await startTestServer({ WFH_LOCATION_PATHS: "/Services/Location.asmx" });
const route = await startRoute({ old: old.url, new: ours.url }, "");
const { url } = route;
const isOld = async (response: Promise<Response>) => (await textOf(response)) === "the old one";

test("sends everything to the old server without rules", async () => {
  route.use("");
  assert.ok(await isOld(calls.get(url)));
  assert.ok(await isOld(calls.soap11(url)));
  assert.ok(await isOld(calls.soap12(url)));
  assert.ok(await isOld(calls.logIn(url)));
  assert.ok(await isOld(fetch(`${url}/default.aspx`)));
});

test("sends an operation to ours over every binding", async () => {
  route.use('[operations]\nPostalCodeToCityState = "new"\n');
  for (const call of [calls.get, calls.soap11, calls.soap12]) {
    assert.match(await textOf(call(url)), /New York/);
  }
  assert.ok(await isOld(calls.soap11(url, "GetCityStateForPostalCode")));
  assert.ok(await isOld(calls.logIn(url)));
});

test("leaves to the old server what is no operation", async () => {
  route.use('default = "new"\n');
  assert.match(await textOf(calls.get(url)), /New York/);
  for (const path of [
    "/",
    "/api/LocationUIHelper.asmx?WSDL",
    "/api/LocationUIHelper.asmx/Nothing",
    "/api/v1/places",
  ]) {
    assert.ok(await isOld(fetch(url + path)), path);
  }
  const upload = "x".repeat(5_000_000);
  assert.ok(await isOld(fetch(`${url}/upload.aspx`, { method: "POST", body: upload })));
  assert.equal(old.arrived.at(-1)?.body, upload);
  // Ours would refuse both.
  for (const body of [upload, "x".repeat(65_537)]) {
    const call = `${url}/api/LocationUIHelper.asmx/PostalCodeToCityState`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    assert.ok(await isOld(fetch(call, { method: "POST", body, headers })));
    assert.equal(old.arrived.at(-1)?.body, body);
  }
});

test("knows the further paths of the settings", async () => {
  route.use('default = "new"\n');
  assert.match(await textOf(calls.soap12(url, "/services/location.asmx")), /New York/);
});

test("sends testers to ours by a header, whatever the rule is", async () => {
  route.use('tester = "X-Wfh-Tester: yes"\n');
  const headers = { "X-Wfh-Tester": "yes" };
  assert.match(await textOf(calls.logIn(url, headers)), /"Success":false/);
  assert.ok(await isOld(calls.logIn(url, { "X-Wfh-Tester": "no" })));
  assert.ok(await isOld(fetch(`${url}/default.aspx`, { headers })));
  route.use('tester = "X-Wfh-Tester: yes"\neverything = "old"\n');
  assert.ok(await isOld(calls.logIn(url, headers)));
});

test("sends a share of the clients to ours, each always to the same side", async () => {
  const sides = async (
    share: string,
    client: string,
    header: (i: number) => Record<string, string>,
  ) => {
    route.use(`client = "${client}"\ndefault = "${share}"\n`);
    return Promise.all(
      Array.from({ length: 80 }, async (_, i) => !(await isOld(calls.get(url, header(i))))),
    );
  };
  for (const [client, header] of [
    ["address", (i: number) => ({ "X-Forwarded-For": `203.0.113.${i}, 10.0.0.1` })],
    ["cookie Visitor", (i: number) => ({ Cookie: `a=b; visitor=v${i}` })],
    ["header X-Visitor", (i: number) => ({ "X-Visitor": `v${i}` })],
  ] as const) {
    const quarter = await sides("25% new", client, header);
    const count = quarter.filter(Boolean).length;
    assert.ok(count > 8 && count < 35, `${client}: ${count} of 80`);
    assert.deepEqual(await sides("25% new", client, header), quarter);
    const half = await sides("50% new-or-old", client, header);
    assert.ok(
      quarter.every((isNew, i) => !isNew || half[i]),
      "a larger share only adds clients",
    );
  }
});

test("tells our server the address of the caller, and the old server nothing more than was sent", async () => {
  const fake = await startStandIn("ours");
  const other = await startRoute({ old: old.url, new: fake.url }, 'default = "new"\n');
  await calls.get(other.url);
  const { headers } = fake.arrived[0] ?? { headers: [""] };
  assert.equal(headers[headers.indexOf("X-Forwarded-For") + 1], "127.0.0.1");
  other.use("");
  await calls.get(other.url);
  assert.ok(!old.arrived.at(-1)?.headers.includes("X-Forwarded-For"));
});

test("a caller cannot hide its address from our server", async () => {
  const fake = await startStandIn("ours");
  const other = await startRoute({ old: old.url, new: fake.url }, 'default = "new"\n');
  const target = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=1";
  const hiding = "Connection: close, X-Forwarded-For\r\nX-Forwarded-For: 203.0.113.7\r\n";
  await exchange(other.url, `GET ${target} HTTP/1.1\r\nHost: a\r\n${hiding}\r\n`);
  const { headers = [] } = fake.arrived.at(-1) ?? {};
  assert.equal(headers[headers.lastIndexOf("X-Forwarded-For") + 1], "127.0.0.1");
});

test("shows metrics and the state of the circuits on another address", async () => {
  route.use('[operations]\nPostalCodeToCityState = "new"\n');
  await calls.get(url);
  const metrics = await textOf(fetch(`${route.metricsUrl}/metrics`));
  assert.match(
    metrics,
    /wfh_route_requests_total\{side="new",operation="PostalCodeToCityState",response="2xx"\} [1-9]/,
  );
  assert.match(
    metrics,
    /wfh_route_requests_total\{side="old",operation="other",response="2xx"\} [1-9]/,
  );
  assert.match(metrics, /wfh_route_circuit_open\{side="old"\} 0/);
  assert.match(metrics, /wfh_route_request_duration_seconds_count\{side="new"\} [1-9]/);
  const health = await fetch(`${route.metricsUrl}/healthz`);
  assert.equal(health.status, 200);
  assert.equal(await health.text(), '{"old":"closed","new":"closed"}');
  assert.equal((await fetch(`${route.metricsUrl}/`)).status, 404);
});
