import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, type TestContext, test } from "node:test";
import { goodLogIn, newSession, openLogIn } from "@wfh/server/test/store/log-in-sample.ts";
import {
  type CliFixture,
  isPassword,
  openCliFixture,
  openFixture,
  startOn,
} from "./cli-fixture.ts";

const password = "mild otter paints a fence";
const newPassword = "calm badger reads a map";
const hourMs = 3_600_000;

async function logIn({ databaseUrl }: CliFixture, name: string, selector: string): Promise<void> {
  const { office, logIn, close } = await openLogIn(databaseUrl);
  const account = await office.findAccount(name);
  assert.ok(account);
  const createdAtMs = Date.now();
  const ends = { idleUntilMs: createdAtMs + hourMs, absoluteUntilMs: createdAtMs + hourMs };
  const session = newSession({ selector, createdAtMs, ...ends });
  assert.ok(await logIn.complete(goodLogIn(account, { session, events: [] })));
  await close();
}

async function isLive({ databaseUrl }: CliFixture, selector: string): Promise<boolean> {
  const { logIn, close } = await openLogIn(databaseUrl);
  const session = await logIn.findSession(selector);
  await close();
  return session?.endedAtMs === null;
}

/** Changes a database past the program. */
function change({ databaseFile }: CliFixture, ...statements: readonly string[]): void {
  const database = new DatabaseSync(databaseFile);
  for (const statement of statements) database.exec(statement);
  database.close();
}

const first = openCliFixture();
after(() => first.close());
const file = join(first.folder, "wfh");

/** A backup of four accounts, of which three have changed since, and another one was added. */
before(async () => {
  for (const name of ["bob", "eve", "old", "same"]) {
    await first.run(["accounts", "add", name], { piped: password });
  }
  await logIn(first, "bob", "of bob");
  assert.equal((await first.run(["backup", file])).code, 0);
  await first.run(["accounts", "disable", "eve"]);
  await first.run(["accounts", "passwd", "bob"], { piped: newPassword });
  await first.run(["accounts", "add", "zoe"], { piped: password });
  // A hash that is renewed when its owner logs in is no other password.
  change(
    first,
    "UPDATE accounts SET hash = 'renewed' WHERE user_name = 'same'",
    "DELETE FROM accounts WHERE user_name = 'old'",
    "UPDATE accounts SET user_name = 'e' || char(27) || '[2Jve' WHERE user_name = 'eve'",
  );
});

/** A place with the changed database. */
function openChangedPlace(t: TestContext): CliFixture {
  const fixture = openFixture(t);
  copyFileSync(first.databaseFile, fixture.databaseFile);
  return fixture;
}

const reverts = `Accounts that can log in again, disabled since the backup (1): e\\u001b[2Jve
  Disable them again: wfh accounts disable <name>
Accounts with their old password, changed since the backup (1): bob
  Set a new one: wfh accounts passwd <name>
Accounts that are lost, added since the backup (1): zoe
  Add or import them again: wfh accounts add <name>, wfh accounts import
Accounts that are back, removed since the backup (1): old
  Disable them: wfh accounts disable <name>
`;

test("restore ends all sessions, and tells what reverts", async (t) => {
  const fixture = openChangedPlace(t);
  const dry = await fixture.run(["restore", file, "--dry-run"]);
  assert.ok(dry.out.endsWith(`All sessions would end.\n${reverts}`), dry.out);
  const { code, out } = await fixture.run(["restore", file, "--force"]);
  assert.equal(code, 0);
  assert.ok(out.endsWith(`Ended 1 session: visitors have to log in again.\n${reverts}`), out);
  assert.equal(await isLive(fixture, "of bob"), false);
  assert.ok(await isPassword(fixture, "bob", password));
});

test("restore --keep-sessions lets sessions go on", async (t) => {
  const fixture = openChangedPlace(t);
  const words = ["restore", file, "--force", "--keep-sessions"];
  const dry = await fixture.run([...words, "--dry-run"]);
  assert.doesNotMatch(dry.out, /sessions would end/);
  const { code, out } = await fixture.run(words);
  assert.equal(code, 0);
  assert.doesNotMatch(out, /Ended/);
  assert.ok(await isLive(fixture, "of bob"));
});

test("restore tells what reverts in JSON, with no secret, also beside a server", async (t) => {
  const fixture = openChangedPlace(t);
  const server = await startOn(fixture);
  const dry = await fixture.run(["restore", file, "--dry-run", "--json"]);
  await server.close();
  const expected = {
    enabled: { count: 1, names: ["e\u001b[2Jve"] },
    passwords: { count: 1, names: ["bob"] },
    gone: { count: 1, names: ["zoe"] },
    back: { count: 1, names: ["old"] },
  };
  const found = JSON.parse(dry.out);
  assert.match(found.obstacle, /is in use/);
  assert.deepEqual([found.endsSessions, found.reverts], [true, expected]);
  const { out } = await fixture.run(["restore", file, "--force", "--json"]);
  const done = JSON.parse(out);
  assert.deepEqual([done.endedSessions, done.reverts, done.notCompared], [1, expected, null]);
  assert.doesNotMatch(dry.out + out, /argon2|[^\P{Cc}\n]/u);
});

test("restore names the first twenty of many", async (t) => {
  const fixture = openChangedPlace(t);
  change(
    fixture,
    `WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1299)
      INSERT INTO accounts SELECT i, i, 'n' || i, 'n' || i, 'x', 'x', 1, 0, 0, NULL, NULL FROM n`,
  );
  const { out } = await fixture.run(["restore", file, "--force"]);
  const [, names = ""] = /^Accounts that are lost, .* \(1,201\): (.*)$/m.exec(out) ?? [];
  assert.equal(names.split(", ").length, 21);
  assert.match(names, /^n100, n1000, .*, and 1,181 more$/);
});

test("restore says when nothing reverts, and when that cannot be known", async (t) => {
  const fixture = openChangedPlace(t);
  await fixture.run(["restore", file, "--force"]);
  const again = await fixture.run(["restore", file, "--dry-run"]);
  assert.match(again.out, /\nNo accounts or passwords revert\.\n$/);

  const broken = openFixture(t);
  writeFileSync(broken.databaseFile, "Dear diary,\n".repeat(1_000));
  const damaged = await broken.run(["restore", file, "--force"]);
  const unknown =
    /\nCannot tell which accounts and passwords revert: .*\nAccounts disabled and passwords changed since \d{4}-.*\n$/;
  assert.equal(damaged.code, 0);
  assert.match(damaged.out, unknown);
  const moved = await openFixture(t).run(["restore", file]);
  assert.match(
    moved.out,
    /Cannot tell which accounts and passwords revert: there is no database \S+office\.db\.\n/,
  );
});
