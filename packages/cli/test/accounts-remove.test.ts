import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { accountKeyOf, ownerKeysOf } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { type Engine, startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { event, goodLogIn, newSession } from "@wfh/server/test/store/log-in-sample.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { openFixtureOn } from "./cli-fixture.ts";

const recordId = 9_007_199_254_740_993n;
const contactId = -8_007_199_254_740_993n;
const engines = await startEngines();

/** A database with the accounts Bob and Eve. */
async function openOffice(engine: Engine, t: TestContext) {
  const fixture = await openFixtureOn(engine, t, { isNew: false });
  const piped = "mild otter paints a fence";
  const ids = ["--record", String(recordId), "--contact", String(contactId)];
  await fixture.run(["accounts", "add", "Bob", ...ids], { piped });
  await fixture.run(["accounts", "add", "Eve", "--record", "5"], { piped });
  return fixture;
}

/** Logs an account in so many times, as a server does. */
async function logIn(url: string, name: string, times: number): Promise<readonly bigint[]> {
  const { store } = await openTestStore(url);
  const admin = await openAdmin(url, "write", () => arrivalMs);
  const { administration } = admin;
  const account = (await administration.findAccount(name)) ?? assert.fail();
  const ids: bigint[] = [];
  for (let i = 0; i < times; i++) {
    const session = newSession({ selector: `${name}-${i}`, browser: `Firefox of ${name}` });
    const given = {
      accountId: account.recordId,
      network: "203.0.113.0/24",
      requestId: `r-${name}`,
    };
    const logged = goodLogIn(account, { session, sessionsMax: 500, events: [event(given)] });
    ids.push((await store.logIn.complete(logged)) || assert.fail());
  }
  await admin.close();
  await store.close();
  return ids;
}

const tables = ["accounts", "account_imports", "sessions", "log_in_events", "log_in_counters"];

/** Everything that is stored of log-ins, as one text. */
async function readAll({ query }: TestDatabase): Promise<string> {
  const rows = await Promise.all(tables.map((table) => query(`SELECT * FROM ${table}`)));
  return rows
    .flat()
    .map((row) => Object.values(row).map(String).join(" "))
    .join("\n");
}

async function countEvents({ query }: TestDatabase): Promise<number> {
  const [row] = await query("SELECT count(*) AS events FROM log_in_events");
  return Number(row?.["events"]);
}

for (const engine of engines) {
  const skip = engine.missing ?? false;
  const on = `on ${engine.name}`;
  test(`wfh accounts remove ${on} leaves nothing of the person but counts`, { skip }, async (t) => {
    const { run, folder, database } = await openOffice(engine, t);
    // More than one step removes.
    const ids = await logIn(database.url, "Bob", 120);
    await logIn(database.url, "Eve", 1);
    const keys = readSecretKeys({ given: [], file: `${folder}/office.key` });
    const counted = [
      accountKeyOf(createTokens(keys), "bob"),
      ...Object.values(ownerKeysOf(ids[0] ?? 0n)),
    ];
    for (const key of counted) {
      await database.query(`INSERT INTO log_in_counters
        (key, attempts, window_started_at, window_attempts, blocked_until, latest_at)
        VALUES ('${key}', 3, 0, 3, 0, 0)`);
    }
    const before = await readAll(database);
    for (const trace of [`${recordId}`, "203.0.113", "r-Bob", "Firefox", ...counted]) {
      assert.ok(before.includes(trace), trace);
    }
    const events = await countEvents(database);

    const { code, out, err } = await run(["accounts", "remove", "BOB", "--yes"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^Bob +9007199254740993 +-8007199254740993 +120 +121$/m);
    assert.match(
      out,
      /^Removed Bob\. Page requests with contact -8007199254740993 remain: wfh page-requests delete --contact -8007199254740993$/m,
    );
    const left = await readAll(database);
    assert.doesNotMatch(left, new RegExp(`bob|${recordId}|${contactId}`, "i"));
    for (const key of counted) assert.ok(!left.includes(key), key);
    assert.match(left, /eve/i);
    // Eve has one log-in, and the events of Bob keep their names, times and forms.
    assert.equal(left.match(/203\.0\.113/g)?.length, 1);
    assert.equal(left.match(/ logged-in /g)?.length, 121);
    assert.equal(await countEvents(database), events + 1);
    const { out: listed } = await run(["accounts", "events", "--json", "--max", "1"]);
    assert.match(listed, /"event":"account-removed","reason":null,"recordId":null/);

    const added = await run(["accounts", "add", "Ida"], { piped: "mild otter paints a fence" });
    assert.match(added.out, /record 9007199254740994, /, "no ID is used twice");
  });

  test(`wfh accounts remove ${on} changes nothing in a dry run, or without consent`, {
    skip,
  }, async (t) => {
    const { run, database } = await openOffice(engine, t);
    const before = await readAll(database);
    const preview = await run(["accounts", "remove", "bob", "eve", "--dry-run"]);
    assert.equal(preview.code, 0);
    assert.match(preview.out, /^Eve +5 +5 +0 +1\nNothing was removed: this was a dry run\.$/m);
    const refused = await run(["accounts", "remove", "bob", "eve"]);
    const message = "Nothing was changed. Use --yes to remove 2 accounts for good.\n";
    assert.deepEqual([refused.code, refused.err], [69, message]);
    const unknown = await run(["accounts", "remove", "bob", "dora", "--yes"]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /^There is no account dora\./);
    assert.equal(await readAll(database), before);
    const agreed = await run(["accounts", "remove", "bob", "eve"], { keys: "yes\n" });
    assert.equal(agreed.code, 0);
    assert.match(agreed.err, /^Remove 2 accounts for good\? Type yes: /);
    assert.equal((await run(["accounts", "list", "--json"])).out, "");
  });

  test(`wfh accounts remove ${on} says that others have the contact`, { skip }, async (t) => {
    const { run } = await openOffice(engine, t);
    const words = ["accounts", "add", "Ida", "--contact", "5"];
    await run(words, { piped: "mild otter paints a fence" });
    const { out } = await run(["accounts", "remove", "eve", "--yes"]);
    assert.match(out, /with contact 5 remain: Another account has the same contact\. wfh /);
  });

  test(`wfh accounts remove ${on} beside log-ins leaves no session`, { skip }, async (t) => {
    const { run, database } = await openOffice(engine, t);
    const { store } = await openTestStore(database.url);
    const admin = await openAdmin(database.url, "write", () => arrivalMs);
    const { administration } = admin;
    const account = (await administration.findAccount("bob")) ?? assert.fail();
    await admin.close();
    const logIns = Array.from({ length: 20 }, (_, i) =>
      store.logIn.complete(goodLogIn(account, { session: newSession({ selector: `s-${i}` }) })),
    );
    const [{ code }] = await Promise.all([run(["accounts", "remove", "bob", "--yes"]), ...logIns]);
    assert.equal(code, 0);
    assert.deepEqual(await database.query("SELECT id FROM sessions"), []);
    await store.pageRequests.append(pageRequest());
    await store.close();
  });
}
