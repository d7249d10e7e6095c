import assert from "node:assert/strict";
import { pbkdf2Sync } from "node:crypto";
import { after, test } from "node:test";
import { accountKeyOf, accountRateLimit } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { type CliFixture, isPassword, openCliFixture, openFixtureOn } from "./cli-fixture.ts";

const password = "mild otter paints a fence";
const thenMs = Date.UTC(2026, 10, 21, 10);
const laterMs = Date.UTC(2100, 0, 1);

const engines = await startEngines();

function fileOf({ databaseUrl }: CliFixture): string {
  return databaseUrl.slice("sqlite:".length);
}

/** Logs an account in, as the server does; resolves to the id of the session. */
async function logIn({ databaseUrl }: CliFixture, name: string, selector: string): Promise<bigint> {
  const { store } = await openTestStore(databaseUrl);
  try {
    const admin = await openAdmin(databaseUrl, "write", () => thenMs);
    const { administration } = admin;
    const account = await administration.findAccount(name);
    await admin.close();
    assert.ok(account !== null);
    const id = await store.logIn.complete({
      account,
      newHash: null,
      accountKey: "account:x",
      networkKey: "network:x",
      endsSessionId: null,
      session: {
        selector,
        current: `digest-of-${selector}`,
        instanceId: 3n,
        origin: "https://www.example.org",
        remembering: "persistent",
        createdAtMs: thenMs,
        idleUntilMs: laterMs,
        absoluteUntilMs: laterMs + 1,
        browser: "Fire\u001bfox",
      },
      sessionsMax: 20,
      events: [],
      nowMs: thenMs,
    });
    assert.ok(typeof id === "bigint");
    return id;
  } finally {
    await store.close();
  }
}

for (const engine of engines) {
  const skip = engine.missing ?? false;
  test(`wfh accounts on ${engine.name}: add, list, passwd, disable, enable and events tell one story`, {
    skip,
  }, async (t) => {
    const fixture = await openFixtureOn(engine, t);
    const add = ["accounts", "add", "Bob", "--record", "9007199254740993", "--contact", "-5"];
    const added = await fixture.run(add, { piped: `${password}\r\nmore\n` });
    assert.deepEqual(added, {
      code: 0,
      out: "Added Bob: record 9007199254740993, contact -5\n",
      err: engine.name === "SQLite" ? `Created a new database: ${fileOf(fixture)}\n` : "",
    });
    assert.ok(await isPassword(fixture, "bob", password));
    await logIn(fixture, "bob", "s1");
    await logIn(fixture, "bob", "s2");

    const list = await fixture.run(["accounts", "list"]);
    assert.match(
      list.out,
      /^9007199254740993 +-5 +Bob +enabled +Argon2id +2026-11-21T10:00:00.000Z +2$/m,
    );
    const [line = ""] = (await fixture.run(["accounts", "list", "--json"])).out.split("\n");
    assert.match(line, /"recordId":9007199254740993,"contactId":-5,"userName":"Bob"/);
    assert.doesNotMatch(line, /\$argon2id|"hash":/);

    const changed = await fixture.run(["accounts", "passwd", "BOB"], { piped: `${password}!` });
    assert.equal(changed.out, "Set the password of Bob; 2 sessions ended.\n");
    assert.equal(await isPassword(fixture, "bob", password), false);
    assert.ok(await isPassword(fixture, "bob", `${password}!`));

    await logIn(fixture, "bob", "s3");
    const disabled = await fixture.run(["accounts", "disable", "bob"]);
    assert.equal(disabled.out, "Disabled Bob; 1 session ended.\n");
    assert.match((await fixture.run(["accounts", "list"])).out, / Bob +disabled /);
    assert.equal((await fixture.run(["accounts", "enable", "bob"])).code, 0);
    assert.match((await fixture.run(["accounts", "list"])).out, / Bob +enabled /);

    const words = ["accounts", "events", "--account", "bob", "--json", "--max", "3"];
    const events = (await fixture.run(words)).out.trimEnd().split("\n");
    assert.deepEqual(
      events.map((text) => JSON.parse(text).event),
      ["account-disabled", "session-ended", "account-enabled"],
    );
    const none = await fixture.run(["accounts", "events", "--from", "2100-01-01"]);
    assert.equal(none.out, "There are no events.\n");
  });

  test(`wfh accounts on ${engine.name}: sessions and revoke look at one account and end what is named`, {
    skip,
  }, async (t) => {
    const fixture = await openFixtureOn(engine, t);
    for (const name of ["bob", "eve"]) {
      await fixture.run(["accounts", "add", name], { piped: password });
    }
    const first = await logIn(fixture, "bob", "s1");
    await logIn(fixture, "bob", "s2");
    const foreign = await logIn(fixture, "eve", "s3");
    const left = async (name: string) =>
      (await fixture.run(["accounts", "sessions", name, "--json"])).out.split("\n").length - 1;

    const { out } = await fixture.run(["accounts", "sessions", "bob"]);
    assert.match(
      out,
      /^\d+ +2026-11-21T10:00:00.000Z +\S+ +3 +Fire\\u001bfox +https:\/\/www.example.org +2100-01-01T00:00:00.000Z$/m,
    );
    const json = await fixture.run(["accounts", "sessions", "bob", "--json"]);
    assert.doesNotMatch(json.out, /digest-of|"s1"|"s2"/);

    const wrong = await fixture.run(["accounts", "revoke", "bob", "--session", String(foreign)]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /bob has no session \d+\. List .*: wfh accounts sessions bob/);
    const one = await fixture.run(["accounts", "revoke", "bob", "--session", String(first)]);
    assert.equal(one.out, "1 session ended.\n");
    assert.deepEqual([await left("bob"), await left("eve")], [1, 1]);
    assert.equal((await fixture.run(["accounts", "revoke", "bob"])).out, "1 session ended.\n");
    assert.deepEqual([await left("bob"), await left("eve")], [0, 1]);
    await fixture.run(["accounts", "revoke", "--instance", "4"]);
    assert.equal(await left("eve"), 1);
    await fixture.run(["accounts", "revoke", "--instance", "3"]);
    assert.equal(await left("eve"), 0);
  });

  test(`wfh accounts on ${engine.name}: enable lets an account try again that failed attempts had held`, {
    skip,
  }, async (t) => {
    const fixture = await openFixtureOn(engine, t);
    await fixture.run(["accounts", "add", "Bob"], { piped: password });
    // Makes the key of the server.
    await fixture.run(["accounts", "enable", "Bob"]);
    const tokens = createTokens(
      readSecretKeys({ given: [], file: `${fixture.folder}/office.key` }),
    );
    const key = accountKeyOf(tokens, "bob");
    const { store } = await openTestStore(fixture.databaseUrl);
    try {
      const reserve = () => store.logIn.consume(key, accountRateLimit, thenMs);
      for (let attempt = 0; attempt < accountRateLimit.delayFrom; attempt += 1) await reserve();
      assert.equal((await reserve()).isAllowed, false);
      const { out } = await fixture.run(["accounts", "enable", "BOB"]);
      assert.equal(out, "Enabled Bob; failed attempts were reset.\n");
      assert.equal((await reserve()).isAllowed, true);
    } finally {
      await store.close();
    }
  });
}

const fixture = openCliFixture();
after(() => fixture.close());

test("wfh accounts list does not make a database that is not there", async () => {
  const { code, err } = await fixture.run(["accounts", "list"]);
  assert.equal(code, 69);
  assert.match(err, /File not found: .*office\.db\nCheck WFH_DATABASE_URL\./);
});

test("wfh accounts add takes the next free ids, and a name only once", async () => {
  const words = ["accounts", "add", "bob", "--json"];
  const { out } = await fixture.run(words, { piped: password });
  assert.equal(out, '{"userName":"bob","recordId":1,"contactId":1}\n');
  const again = await fixture.run(["accounts", "add", " BOB"], { piped: password });
  assert.equal(again.code, 69);
  assert.match(
    again.err,
    /Account bob already exists, with record ID 1\.\n.*wfh accounts passwd bob$/m,
  );
  const taken = await fixture.run(["accounts", "add", "al", "--record", "1"], { piped: password });
  assert.equal(taken.code, 69);
  assert.match(taken.err, /record id 1 already\n.*wfh accounts list$/m);
});

test("wfh accounts add --hash wraps what an old system stored, and list says so", async () => {
  const salt = Buffer.alloc(16, 7);
  const subkey = pbkdf2Sync("old", salt, 1_000, 32, "sha1");
  const piped = Buffer.concat([Buffer.of(0), salt, subkey]).toString("base64");
  const words = ["accounts", "add", "old", "--hash", "aspnet-identity"];
  assert.equal((await fixture.run(words, { piped })).code, 0);
  assert.ok(await isPassword(fixture, "old", "old"));
  assert.equal(await isPassword(fixture, "old", piped), false);
  const { out } = await fixture.run(["accounts", "list"]);
  assert.match(
    out,
    / old +enabled +ASP\.NET Identity \(SHA1, 1,000 rounds\), upgraded at the next log-in +never +0$/m,
  );
  const bad = await fixture.run(["accounts", "add", "older", "--hash", "aspnet-identity"], {
    piped: "not-a-hash",
  });
  assert.equal(bad.code, 69);
  assert.match(bad.err, /base64.*\nNothing was changed\./);
  assert.doesNotMatch(bad.err, /not-a-hash/);
});

test("names of accounts cannot steer a terminal", async () => {
  const admin = await openAdmin(fixture.databaseUrl, "write", () => thenMs);
  const { administration } = admin;
  await administration.addAccount(
    {
      recordId: null,
      contactId: null,
      userName: "a\u001b[2J\u009bb\u202ec",
      hash: "x",
      hashForm: "x",
    },
    thenMs,
  );
  await admin.close();
  for (const words of [
    ["accounts", "list"],
    ["accounts", "list", "--json"],
  ]) {
    const { out } = await fixture.run(words);
    assert.ok(out.includes("a\\u001b[2J\\u009bb\\u202ec"));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});

test("wfh accounts revoke --all asks on a terminal, and needs --yes without one", async () => {
  const words = ["accounts", "revoke", "--all"];
  assert.equal((await fixture.run(words)).code, 69);
  assert.equal((await fixture.run(words, { keys: "no\n" })).code, 69);
  assert.equal((await fixture.run(words, { keys: "yes\n" })).out, "0 sessions ended.\n");
  assert.equal((await fixture.run([...words, "--yes"])).out, "0 sessions ended.\n");
});

const refusals: readonly [words: readonly string[], code: number, message: RegExp][] = [
  [["disable", "mallory"], 1, /no account mallory\..*wfh accounts list/],
  [["sessions", "no\u001b[31m"], 1, /no account no\\u001b\[31m\./],
  [["passwd", "mallory"], 1, /wfh accounts list/],
  [["events", "--account", "mallory"], 1, /wfh accounts list/],
  [["events", "--max", "0"], 2, /^--max 0: expected/],
  [["events", "--from", "yesterday"], 2, /^--from yesterday: expected a day/],
  [["add", "x", "--record", "0"], 2, /^--record 0: expected a whole number/],
  [["add", "x", "--contact", "9223372036854775808"], 2, /^--contact 9223372036854775808:/],
  [["add", "x", "--hash", "md5"], 2, /^--hash md5: expected aspnet-identity, /],
  [
    ["add", "x", "--hash", "bcrypt", "--allow-weak"],
    2,
    /^error: option '--allow-weak' cannot be used with/,
  ],
  [["add", " "], 2, /user name is empty/],
  [["add", "a\tb"], 2, /user name a\\u0009b contains invisible characters/],
  [["add", "x".repeat(257)], 2, /longer than 256/],
  [["revoke"], 2, /^Give exactly one/],
  [["revoke", "bob", "--all"], 2, /^Give exactly one/],
  [["revoke", "--session", "1"], 2, /^Give exactly one/],
  [["revoke", "--instance", "1", "--session", "1"], 2, /^Give exactly one/],
];
for (const [words, wanted, message] of refusals) {
  test(`wfh accounts ${JSON.stringify(words.join(" ").slice(0, 60))} ends with ${wanted}`, async () => {
    const { code, out, err } = await fixture.run(["accounts", ...words], { piped: password });
    assert.match(err, message);
    assert.equal(code, wanted);
    assert.equal(out, "");
  });
}
