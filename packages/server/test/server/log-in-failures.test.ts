import assert from "node:assert/strict";
import { test } from "node:test";
import { limitFileSize } from "../limit-file-size.ts";
import { type Engine, startEngines } from "../store/engines.ts";
import {
  type Carrier,
  carriers,
  cookieFate,
  overJson,
  type Received,
  send,
  withFields,
} from "./log-in-calls.ts";
import { type LogInSite, logInAs, openSite, password, tryAutoLogIn } from "./log-in-server.ts";

const engines = await startEngines();

const bob = { userName: "bob", passWord: password };
const ids = { form_id: 1, applicationInstance_id: 10 };
const lax = ["Origin", "https://lax.example"] as const;
const path = "/api/v1/log-out";
const json = ["Content-Type", "application/json"] as const;

/** Stops and starts the database of an engine; a text says why it cannot. */
function powerOf({ name, missing, power }: Engine) {
  if (name === "PostgreSQL") {
    return power ?? missing ?? "the server is not ours to stop";
  }
  return (
    limitFileSize("unlimited") || {
      stop: async () => void limitFileSize(1_000),
      start: async () => void limitFileSize("unlimited"),
    }
  );
}

/** Asserts the form of every response that could not be decided. */
function assertUnavailable(response: Received, rule: string): void {
  assert.equal(response.status, 503, `${rule}: ${response.masked}`);
  assert.equal(cookieFate(response), "kept", rule);
  assert.match(response.valuesOf("retry-after")[0] ?? "", /^[1-9]\d*$/, rule);
  assert.deepEqual(response.valuesOf("cache-control"), ["no-store"], rule);
  assert.doesNotMatch(response.body, /uccess"?[>:]|ECONN|SQL|disk|sessions|postgres/i, rule);
}

/** Tries until it gets a response; the test bounds the time. */
async function untilServed(url: string, carrier: Carrier): Promise<Received> {
  const call = withFields(carrier.call("LogInUser", bob), lax);
  let response = await send(url, call);
  while (response.status === 503) response = await send(url, call);
  return response;
}

async function assertClosed({ url }: LogInSite, cookie: string): Promise<void> {
  for (const carrier of carriers) {
    for (const parts of [bob, { userName: "stranger", passWord: "no" }, {}]) {
      const response = await send(url, withFields(carrier.call("LogInUser", parts), lax));
      assertUnavailable(response, `${carrier.name}: LogInUser`);
      assert.match(response.body, carrier.fault);
    }
    const again = withFields(carrier.call("TryAutoLogIn", ids), lax, ["Cookie", cookie]);
    const response = await send(url, again);
    assertUnavailable(response, `${carrier.name}: TryAutoLogIn`);
    assert.match(response.body, carrier.fault);
  }
  for (const body of ["{}", '{"everywhere":true}']) {
    const response = await send(url, { path, fields: [json, lax, ["Cookie", cookie]], body });
    assertUnavailable(response, "log-out");
    assert.match(JSON.parse(response.body).detail, /^You are still logged in/);
  }
  const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  const found = await send(url, { method: "GET", path: lookUp });
  assert.match(found.body, /<City>New York<\/City>/);
}

for (const engine of engines) {
  const power = powerOf(engine);
  test(`${engine.name}: while the database is down there is no log-in or log-out; look-ups go on, and everything works when it is back`, {
    skip: typeof power === "string" ? power : false,
    timeout: 60_000,
  }, async (t) => {
    assert.ok(typeof power !== "string");
    const database = await engine.createDatabase();
    const site = await openSite({ WFH_DATABASE_URL: database.url });
    let isDown = false;
    t.after(async () => {
      if (isDown) await power.start();
      await site.close();
      await database.drop();
    });
    await site.addAccount("bob");
    const cookie = await logInAs(site.url, "bob");
    await power.stop();
    isDown = true;
    await assertClosed(site, cookie);
    await power.start();
    isDown = false;
    for (const carrier of carriers) {
      const response = await untilServed(site.url, carrier);
      assert.equal(carrier.read(response).isSuccess, true);
      assert.equal(cookieFate(response), "set");
    }
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, true);
    const fields = [json, lax, ["Cookie", cookie] as const];
    assert.equal((await send(site.url, { path, fields, body: "{}" })).status, 204);
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, false);
  });
}

test("a query that fails is an internal error with a line in the log, and no outage", async (t) => {
  const site = await openSite();
  t.after(() => site.close());
  await site.addAccount("bob");
  site.sql("ALTER TABLE log_in_counters RENAME TO hidden_counters");
  const response = await send(site.url, overJson.call("LogInUser", bob));
  assert.equal(response.status, 500);
  assert.doesNotMatch(response.body, /log_in_counters/);
  assert.match(site.server.log.join(""), /no such table: (?:main\.)?log_in_counters/);
});

test("too many concurrent log-ins: some get 503 at once, and none waits forever", async (t) => {
  const site = await openSite({ WFH_HASHES_AT_ONCE: "1", WFH_HASH_QUEUE_MAX: "1" });
  t.after(() => site.close());
  await site.addAccount("bob");
  const responses = await Promise.all(
    Array.from({ length: 20 }, async (_none, index) => {
      const carrier = carriers[index % carriers.length] ?? overJson;
      const parts = { userName: `stranger ${index}`, passWord: "no" };
      return { carrier, response: await send(site.url, carrier.call("LogInUser", parts)) };
    }),
  );
  const busy = responses.filter(({ response }) => response.status === 503);
  for (const { carrier, response } of busy) {
    assertUnavailable(response, carrier.name);
    assert.match(response.body, carrier.fault);
    assert.match(response.body, /too many log-ins are in progress/);
  }
  const others = responses.filter((one) => !busy.includes(one));
  for (const { carrier, response } of others) {
    assert.match(carrier.read(response).message ?? "", /^Log-in failed/);
  }
  assert.ok(
    busy.length > 0 && others.length > 0,
    `${busy.length} of ${responses.length} were busy`,
  );
  const response = await send(site.url, overJson.call("LogInUser", bob));
  assert.equal(overJson.read(response).isSuccess, true);
});
