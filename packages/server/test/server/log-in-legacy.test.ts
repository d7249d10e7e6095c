import assert from "node:assert/strict";
import { after, test } from "node:test";
import { formatLegacyLogIn, legacyLogInForm } from "../../src/secrets/legacy-log-in.ts";
import { carriers, endpoint, overJson, send } from "./log-in-calls.ts";
import { openSite, openTestSite, password } from "./log-in-server.ts";
import { changesOf, readSamples } from "./metrics-reading.ts";

const wrong = "a loud heron by the lake";

/** Another instance of this server stands for the old one: its LogInUser is a genuine one. */
async function openBoth() {
  const old = await openTestSite();
  const site = await openTestSite({ WFH_LEGACY_LOGIN_URL: old.url + endpoint });
  let recordId = 70_000n;
  return {
    old,
    site,
    /** Adds an account to both, here without a hash. */
    addUser: async (userName: string) => {
      await old.addAccount(userName);
      recordId += 1n;
      const hash = formatLegacyLogIn(userName);
      const account = { recordId, contactId: 5n, userName, hash, hashForm: legacyLogInForm };
      await site.office.addAccount(account, Date.now());
      return recordId;
    },
    hashOf: (id: bigint) =>
      String(site.sql(`select hash from accounts where record_id = ${id}`)[0]?.["hash"]),
    /** Number of times that the old server was asked for a log-in. */
    asked: () =>
      old.sql("select id from log_in_events where name in ('logged-in', 'log-in-refused')").length,
  };
}
const { old, site, addUser, hashOf, asked } = await openBoth();

async function logIn(url: string, userName: string, passWord: string) {
  const response = await send(url, overJson.call("LogInUser", { userName, passWord }));
  return { response, ...overJson.read(response) };
}

for (const carrier of carriers) {
  test(`${carrier.name}: the old server verifies the first log-in, and is not asked again`, async () => {
    const name = `Ada over ${carrier.name}`;
    const recordId = await addUser(name);
    const before = asked();
    const call = (passWord: string) =>
      send(site.url, carrier.call("LogInUser", { userName: name.toUpperCase(), passWord }));
    assert.equal(carrier.read(await call(wrong)).isSuccess, false);
    assert.equal(hashOf(recordId), formatLegacyLogIn(name));
    const first = carrier.read(await call(password));
    assert.deepEqual([first.isSuccess, first.recordId, first.contactId], [true, recordId, 5n]);
    assert.equal(asked(), before + 2);
    assert.match(hashOf(recordId), /^\$argon2id\$/);
    assert.equal(carrier.read(await call(password)).isSuccess, true);
    assert.equal(carrier.read(await call(wrong)).isSuccess, false);
    assert.equal(asked(), before + 2);
  });
}

test("an account that is held or disabled, and a name without an account, are not asked for", async () => {
  await addUser("Eve");
  const before = asked();
  assert.equal((await logIn(site.url, "Eve", wrong)).isSuccess, false);
  assert.equal(asked(), before + 1);
  await site.useUpAttempts("Eve", 100);
  assert.equal((await logIn(site.url, "Eve", password)).isSuccess, false);
  assert.equal((await logIn(site.url, "nobody", wrong)).isSuccess, false);
  const disabled = await addUser("Mallory");
  await site.office.setEnabled(disabled, false, Date.now());
  for (const passWord of [wrong, password]) {
    assert.equal((await logIn(site.url, "Mallory", passWord)).isSuccess, false);
  }
  assert.equal(asked(), before + 1);
});

test("an old server that is down means the same refusal as a wrong password, and a line in the log", async () => {
  const gone = await openSite();
  const here = await openTestSite({ WFH_LEGACY_LOGIN_URL: gone.url + endpoint });
  await gone.close();
  const hash = formatLegacyLogIn("Ada");
  const account = { recordId: 1n, contactId: 1n, userName: "Ada", hash, hashForm: legacyLogInForm };
  await here.office.addAccount(account, Date.now());
  await here.addAccount("Bob");
  const refused = await logIn(here.url, "Bob", wrong);
  const changes = await changesOf(here.server.adminUrl, "wfh_legacy_log_ins_total", async () => {
    for (const passWord of [password, wrong]) {
      const { response } = await logIn(here.url, "Ada", passWord);
      assert.equal(response.masked, refused.response.masked);
    }
  });
  assert.deepEqual(changes, {
    'wfh_legacy_log_ins_total{end="failed"}': 1,
    'wfh_legacy_log_ins_total{end="skipped"}': 1,
  });
  const lines = here.server.log.filter((line) => line.includes("the old server did not verify"));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"level":"warn".*"reason":"nothing responds there\./);
  assert.equal((await logIn(here.url, "Bob", password)).isSuccess, true);
});

test("no password is in the log, the metrics or the database", async () => {
  const recordId = await addUser("Grace");
  await logIn(site.url, "Grace", wrong);
  assert.equal((await logIn(site.url, "Grace", password)).recordId, recordId);
  const tables = ["accounts", "log_in_events", "sessions", "log_in_counters"];
  const rows = tables.map((table) => site.sql(`select * from ${table}`));
  const write = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  const samples = await readSamples(site.server.adminUrl);
  const texts = [
    ...site.server.log,
    ...old.server.log,
    JSON.stringify(rows, write),
    ...samples.keys(),
  ];
  for (const text of texts) assert.doesNotMatch(text, /heron/);
});

test("without the setting such an account is refused, and nobody is asked", async () => {
  const plain = await openSite();
  after(() => plain.close());
  const hash = formatLegacyLogIn("Ada");
  const account = { recordId: 1n, contactId: 1n, userName: "Ada", hash, hashForm: legacyLogInForm };
  await plain.office.addAccount(account, Date.now());
  assert.equal((await logIn(plain.url, "Ada", password)).isSuccess, false);
});
