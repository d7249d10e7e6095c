import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, test } from "node:test";
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
after(async () => {
  for (const engine of engines) await engine.close();
});

const bob = { userName: "bob", passWord: password };
const ids = { form_id: 1, applicationInstance_id: 10 };
const lax = ["Origin", "https://lax.example"] as const;
const path = "/api/v1/log-out";
const json = ["Content-Type", "application/json"] as const;

/** Bounds the size of files that this process may write, in bytes; a text says why it cannot. */
function limitFileSize(bytes: number | "unlimited"): string | undefined {
  const words = ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`];
  const { status, error, stderr } = spawnSync("prlimit", words, { encoding: "utf8" });
  return status === 0 ? undefined : `file sizes cannot be limited: ${error?.message ?? stderr}`;
}

/** How the database of an engine goes away and comes back; a text says why it cannot. */
function powerOf({ name, missing, power }: Engine) {
  if (name === "PostgreSQL") {
    return power ?? missing ?? "the server is not ours to stop";
  }
  return (
    limitFileSize("unlimited") ?? {
      stop: async () => void limitFileSize(1_000),
      start: async () => void limitFileSize("unlimited"),
    }
  );
}

/** What must hold of every answer that could not be decided. */
function assertUnavailable(answer: Received, rule: string): void {
  assert.equal(answer.status, 503, `${rule}: ${answer.masked}`);
  assert.equal(cookieFate(answer), "kept", rule);
  assert.match(answer.valuesOf("retry-after")[0] ?? "", /^[1-9]\d*$/, rule);
  assert.deepEqual(answer.valuesOf("cache-control"), ["no-store"], rule);
  assert.doesNotMatch(answer.body, /uccess"?[>:]|ECONN|SQL|disk|sessions|postgres/i, rule);
}

/** Tries until it is answered; how long that may take is the test's to bound. */
async function untilServed(url: string, carrier: Carrier): Promise<Received> {
  const call = withFields(carrier.call("LogInUser", bob), lax);
  let answer = await send(url, call);
  while (answer.status === 503) answer = await send(url, call);
  return answer;
}

async function assertClosed({ url }: LogInSite, cookie: string): Promise<void> {
  for (const carrier of carriers) {
    for (const parts of [bob, { userName: "nobody", passWord: "no" }, {}]) {
      const answer = await send(url, withFields(carrier.call("LogInUser", parts), lax));
      assertUnavailable(answer, `${carrier.name}: LogInUser`);
      assert.match(answer.body, carrier.fault);
    }
    const again = withFields(carrier.call("TryAutoLogIn", ids), lax, ["Cookie", cookie]);
    const answer = await send(url, again);
    assertUnavailable(answer, `${carrier.name}: TryAutoLogIn`);
    assert.match(answer.body, carrier.fault);
  }
  for (const body of ["{}", '{"everywhere":true}']) {
    const answer = await send(url, { path, fields: [json, lax, ["Cookie", cookie]], body });
    assertUnavailable(answer, "log-out");
    assert.match(JSON.parse(answer.body).error, /^You are still logged in/);
  }
  const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  const found = await send(url, { method: "GET", path: lookUp });
  assert.match(found.body, /<City>New York<\/City>/);
}

for (const engine of engines) {
  const power = powerOf(engine);
  test(`${engine.name}: while the database is down nobody is logged in or out; look-ups go on, and so does all when it is back`, {
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
      const answer = await untilServed(site.url, carrier);
      assert.equal(carrier.read(answer).isSuccess, true);
      assert.equal(cookieFate(answer), "set");
    }
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, true);
    const fields = [json, lax, ["Cookie", cookie] as const];
    assert.equal((await send(site.url, { path, fields, body: "{}" })).status, 204);
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, false);
  });
}

test("of too many log-ins at once some are asked to come again, and none waits for ever", async (t) => {
  const site = await openSite({ WFH_HASHES_AT_ONCE: "1", WFH_HASH_QUEUE_MAX: "1" });
  t.after(() => site.close());
  await site.addAccount("bob");
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_none, index) => {
      const carrier = carriers[index % carriers.length] ?? overJson;
      const parts = { userName: `nobody ${index}`, passWord: "no" };
      return { carrier, answer: await send(site.url, carrier.call("LogInUser", parts)) };
    }),
  );
  const busy = answers.filter(({ answer }) => answer.status === 503);
  for (const { carrier, answer } of busy) {
    assertUnavailable(answer, carrier.name);
    assert.match(answer.body, carrier.fault);
    assert.match(answer.body, /too many are logging in/);
  }
  const others = answers.filter((one) => !busy.includes(one));
  for (const { carrier, answer } of others) {
    assert.match(carrier.read(answer).message ?? "", /^Log-in failed/);
  }
  assert.ok(busy.length > 0 && others.length > 0, `${busy.length} of ${answers.length} were busy`);
  const answer = await send(site.url, overJson.call("LogInUser", bob));
  assert.equal(overJson.read(answer).isSuccess, true);
});

test("of log-ins with one name at once, those behind the first wrong one are not looked at", async (t) => {
  const site = await openSite({ WFH_HASHES_AT_ONCE: "1", WFH_HASH_QUEUE_MAX: "64" });
  t.after(() => site.close());
  await site.addAccount("bob");
  await site.useUpAttempts("bob", 20);
  const call = (passWord: string) =>
    send(site.url, overJson.call("LogInUser", { ...bob, passWord }));
  const answers = await Promise.all([...Array(7).keys()].map((index) => call(`wrong ${index}`)));
  const afterwards = await call(password);
  const counted = site.sql(
    "SELECT reason, count(*) AS count FROM log_in_events WHERE name = 'log-in-refused' GROUP BY reason ORDER BY reason",
  );
  assert.ok(answers.every((answer) => !overJson.read(answer).isSuccess));
  assert.equal(overJson.read(afterwards).isSuccess, false);
  assert.deepEqual(
    counted.map((row) => ({ ...row })),
    [
      { reason: "delayed", count: 7n },
      { reason: "wrong-password", count: 1n },
    ],
  );
});
