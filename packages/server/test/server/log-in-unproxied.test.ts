import assert from "node:assert/strict";
import { test } from "node:test";
import { carriers, cookieFate, overJson, send, withFields } from "./log-in-calls.ts";
import { failToLogIn, openSite, openTestSite, password } from "./log-in-server.ts";

const site = await openTestSite();
await site.addAccount("bob");
const bob = { userName: "bob", passWord: password };

test("only a trusted proxy is believed about the connection and the caller", async () => {
  const call = withFields(
    overJson.call("LogInUser", bob),
    ["X-Forwarded-Proto", "https"],
    ["Forwarded", "proto=https"],
    ["X-Forwarded-Ssl", "on"],
    ["X-Forwarded-Host", "localhost"],
  );
  const response = await send(site.url, { ...call, host: "forms.example" });
  assert.equal(overJson.read(response).isSuccess, true);
  assert.equal(cookieFate(response), "kept");
});

test("a base address with https tells that the connection is secure", async (t) => {
  const based = await openSite({ WFH_BASE_URL: "https://forms.example" });
  t.after(() => based.close());
  await based.addAccount("bob");
  const call = overJson.call("LogInUser", bob);
  const response = await send(based.url, { ...call, host: "forms.example" });
  const own = withFields(call, ["Origin", "https://forms.example"]);
  const other = withFields(call, ["Origin", "http://forms.example"]);
  const statuses = [await send(based.url, own), await send(based.url, other)].map(
    ({ status }) => status,
  );
  assert.equal(cookieFate(response), "set");
  assert.deepEqual(statuses, [200, 403]);
});

test("a network of which thirty log-ins have failed gets Retry-After, even with a good password", async () => {
  await failToLogIn(site.url, 29);
  const wrong = overJson.call("LogInUser", { userName: "stranger", passWord: "no" });
  const last = await send(site.url, wrong);
  assert.match(overJson.read(last).message ?? "", /^Log-in failed/);
  assert.deepEqual(last.valuesOf("retry-after"), []);
  for (const carrier of carriers) {
    for (const parts of [bob, { userName: "stranger", passWord: "no" }, {}]) {
      const response = await send(site.url, carrier.call("LogInUser", parts));
      assert.equal(response.status, 200);
      const { message, ...ids } = carrier.read(response);
      assert.deepEqual(ids, { contactId: 0n, recordId: 0n, isSuccess: false });
      assert.match(
        message ?? "",
        /^Too many log-ins from your network have failed\. Try again in [1-5] minutes?\.$/,
      );
      const seconds = Number(response.valuesOf("retry-after")[0]);
      assert.ok(seconds > 240 && seconds <= 300, String(seconds));
      assert.deepEqual(response.valuesOf("set-cookie"), []);
      assert.deepEqual(response.valuesOf("cache-control"), ["no-store"]);
    }
  }
});

const claims = ["X-Forwarded-For", "X-Real-IP", "Client-IP", "True-Client-IP", "CF-Connecting-IP"];
for (const field of [...claims, "Forwarded"]) {
  test(`a network that is held cannot give itself out as another by ${field}`, async () => {
    const value = field === "Forwarded" ? "for=198.51.100.7" : "198.51.100.7";
    const call = withFields(overJson.call("LogInUser", bob), [field, value]);
    assert.match(overJson.read(await send(site.url, call)).message ?? "", /^Too many log-ins/);
  });
}

test("one warning says that the proxy is not trusted, without what it sent", () => {
  const warnings = site.server.log.filter((line) => line.includes("WFH_TRUSTED_PROXIES"));
  assert.equal(warnings.length, 1, warnings.join());
  const { level, peer } = JSON.parse(warnings[0] ?? "");
  assert.deepEqual([level, peer], ["warn", "127.0.0.1"]);
  assert.doesNotMatch(warnings.join(), /198\.51/);
});

test("of a network that is held, the log and the table have one event", async () => {
  const events = await site.office.listEvents({ recordId: null, fromMs: null, max: 100 });
  assert.equal(events.filter(({ name }) => name === "network-blocked").length, 1);
  const lines = site.server.log.filter((line) => line.includes('"network-blocked"'));
  assert.equal(lines.length, 1);
});
