import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { checkDatabase } from "@wfh/server/store/database-checks.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { checkKeys } from "../src/commands/doctor/areas.ts";
import { openFixture, openFixtureOn, runCli } from "./cli-fixture.ts";

const [, postgres] = await startEngines();
const options = { skip: postgres.missing ?? false, timeout: 60_000 };

/** A new key of a node, whose file is there where `hasKey` says so. */
async function openNode(t: TestContext, hasKey = true) {
  const fixture = await openFixtureOn(postgres, t);
  const { database } = fixture;
  await (await openTestStore(database.url, { keyFingerprints: ["of-others"] })).store.close();
  const file = join(fixture.folder, "office.key");
  if (hasKey) writeFileSync(file, `${"B".repeat(42)}A\n`, { mode: 0o600 });
  const look = async () => {
    const env = { WFH_DATABASE_URL: database.url, WFH_KEY_FILE: file };
    const { config } = readConfig(undefined, env);
    const { findings, facts } = await checkDatabase(config.databaseUrl);
    return { keys: await checkKeys(config, facts), database: findings };
  };
  return { fixture, look };
}

test(
  "doctor compares keys with the other nodes, and wfh keys accept makes one that of the database",
  options,
  async (t) => {
    const { fixture, look } = await openNode(t);
    const complaint = (await look()).keys.find(({ check }) => check === "keys-of-nodes");
    assert.equal(complaint?.level, "problem");
    assert.match(complaint.text, /^The secret key of this server is not that of the database: /);
    assert.match(complaint.fix ?? "", /^copy the key file of another node .* wfh keys accept$/);
    const { code, out } = await fixture.run(["keys", "accept"]);
    assert.equal(code, 0);
    assert.match(out, /^The key of this node is now that of postgres:\/\/127\.0\.0\.1:\d+\/\S+: /);
    const found = (await look()).keys.find(({ check }) => check === "keys-of-nodes");
    assert.equal(found?.level, "ok");
  },
);

test(
  "doctor compares the connections of all nodes with those of the server",
  options,
  async (t) => {
    const { look } = await openNode(t);
    const found = (await look()).database.find(({ check }) => check === "connections");
    assert.equal(found?.level, "ok");
    assert.match(found.text, /^The servers may open 12 connections; PostgreSQL allows \d+\.$/);
  },
);

test("wfh keys accept without a key says how to get one", options, async (t) => {
  const { fixture } = await openNode(t, false);
  const { code, err } = await fixture.run(["keys", "accept"]);
  assert.equal(code, 69);
  assert.match(err, /There is no key file .*office\.key\.\nCopy that of another node, or start/);
});

test("accounts are not imported with a key that the servers do not have", options, async (t) => {
  const { fixture } = await openNode(t);
  const hash = `AAAB${"A".repeat(62)}==`;
  const piped = `id,name,hash\n1,ada,${hash}\n`;
  const words = ["accounts", "import", "-"];
  const refused = await fixture.run(words, { piped });
  assert.equal(refused.code, 69);
  assert.match(refused.err, /is not that of the database.* Copy the key file of another node/);
  assert.doesNotMatch(refused.err, /WFH_DATABASE_URL/);
  assert.equal((await fixture.run(["accounts", "list", "--json"])).out, "");
  await fixture.run(["keys", "accept"]);
  assert.equal((await fixture.run(words, { piped })).code, 0);
});

test("a server with another key says which one it has", options, async (t) => {
  const { fixture } = await openNode(t);
  const settings = join(fixture.folder, "settings.toml");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["packaging/npm/wfh.ts", "serve", "--config", settings, "--port", "0"],
    { env: plainEnvironment, encoding: "utf8", timeout: 30_000 },
  );
  assert.equal(status, 78);
  assert.match(stderr, /is not that of the database.*\nIt has the key of \S+office\.key\.\n$/);
});

test("wfh keys accept has nothing to do for a SQLite file", async (t) => {
  const fixture = openFixture(t);
  await (await openTestStore(fixture.databaseUrl)).store.close();
  const { code, out } = await fixture.run(["keys", "accept"]);
  assert.deepEqual([code, out.startsWith("Nothing to do: ")], [0, true]);
});

test("wfh keys new prints a key that can be used, and nothing else to standard output", async () => {
  const one = await runCli(["keys", "new"]);
  const other = await runCli(["keys", "new"]);
  assert.deepEqual([one.code, one.out === other.out], [0, false]);
  const { config } = readConfig(undefined, { WFH_SECRET_KEYS: one.out.trimEnd() });
  assert.equal(readSecretKeys({ given: config.secretKeys, file: "" }).length, 1);
  assert.match(one.err, /make it the first key, in WFH_SECRET_KEYS or in the key file/);
});

test("wfh keys new --output writes a key file, and never over another file", async (t) => {
  const fixture = openFixture(t);
  const file = join(fixture.folder, "new's.key");
  const { code, out, err } = await runCli(["keys", "new", "--output", file]);
  assert.equal(err.includes("belongs to root: give it"), process.getuid?.() === 0);
  assert.doesNotMatch(err, /chown wfh (?!'\/)/);
  assert.deepEqual([code, out], [0, `Created ${file}, which only its owner can read.\n`]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, "utf8");
  assert.equal(readSecretKeys({ given: [], file }).length, 1);
  const again = await runCli(["keys", "new", "--output", file]);
  assert.deepEqual(
    [again.code, again.err],
    [69, `${file} exists, and was not changed. Name a new file.\n`],
  );
  assert.equal(readFileSync(file, "utf8"), text);
  const unnamed = await runCli(["keys", "new", "--output", ""]);
  assert.deepEqual([unnamed.code, unnamed.err], [2, "--output is empty: name a file.\n"]);
  const missing = join(fixture.folder, "none", "new.key");
  const nowhere = await runCli(["keys", "new", "--output", missing]);
  assert.equal(nowhere.code, 69);
  assert.match(nowhere.err, /cannot be made: Folder not found: \S+none\.\n$/);
});
