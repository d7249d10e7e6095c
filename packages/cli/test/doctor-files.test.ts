import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { checkDatabase } from "@wfh/server/store/database-checks.ts";
import { checkGazetteer, checkKeys } from "../src/commands/doctor/areas.ts";
import { openFixture } from "./cli-fixture.ts";
import { configOf, noComplaint, onlyComplaint } from "./doctor-fixture.ts";

const nowMs = Date.UTC(2026, 10, 21, 10);

describe("doctor looks at the key file", () => {
  const key = "A".repeat(43);
  const states: readonly [name: string, make: (file: string) => void, complaint: RegExp][] = [
    ["that is not there", () => {}, /^warning: The key file \S+ does not exist yet/],
    [
      "that others can read",
      (file) => writeFileSync(file, key, { mode: 0o644 }),
      /^problem: Others can read the secret keys .*: run chmod 600 \S+key\. -> correct WFH_KEY_FILE/,
    ],
    [
      "that holds something else",
      (file) => writeFileSync(file, "hush-hush", { mode: 0o600 }),
      /^problem: Line 1 of \S+ is not a key.* -> correct WFH_KEY_FILE/,
    ],
    ["that is a pipe", (file) => execFileSync("mkfifo", [file]), /^problem: \S+ is not a file/],
  ];
  for (const [name, make, complaint] of states) {
    test(name, async (t) => {
      const file = join(openFixture(t).folder, "key");
      make(file);
      const before = existsSync(file);
      const found = onlyComplaint(await checkKeys(configOf({ WFH_KEY_FILE: file }), null));
      assert.match(found, complaint);
      assert.doesNotMatch(found, /hush/);
      assert.equal(existsSync(file), before);
    });
  }
  test("that belongs to another user than the database", {
    skip: process.getuid?.() === 0 ? false : "only root gives files away",
  }, async (t) => {
    const { folder, databaseFile, databaseUrl } = openFixture(t);
    const file = join(folder, "key");
    for (const name of [file, databaseFile]) writeFileSync(name, key, { mode: 0o600 });
    chownSync(databaseFile, 12_345, 12_345);
    const config = configOf({ WFH_KEY_FILE: file, WFH_DATABASE_URL: databaseUrl });
    assert.match(
      onlyComplaint(await checkKeys(config, null)),
      /^problem: .*another owner.*chown --reference/,
    );
  });
  test("beside keys of the settings, and beside other nodes", async () => {
    const findings = await checkKeys(
      configOf({
        WFH_SECRET_KEYS: key,
        WFH_KEY_FILE: "/x",
        WFH_DATABASE_URL: "postgres://127.0.0.1/x",
      }),
      null,
    );
    assert.match(
      onlyComplaint(findings),
      /^warning: WFH_SECRET_KEYS and WFH_KEY_FILE are both set/,
    );
    assert.match(JSON.stringify(findings), /No node has recorded its key/);
    assert.ok(!JSON.stringify(findings).includes(key));
  });
});

describe("doctor looks at the key of the old server", () => {
  const element = (attributes: string) =>
    `<machineKey validationKey="${"5e".repeat(64)}" decryptionKey="${"5e".repeat(32)}" ${attributes} />`;
  const good = element('validation="SHA1" compatibilityMode="Framework45"');
  const check = async (t: TestContext, text: string, until: string) => {
    const file = join(openFixture(t).folder, "old.config");
    writeFileSync(file, text, { mode: 0o600 });
    const settings = { WFH_LEGACY_MACHINE_KEY_FILE: file, WFH_LEGACY_COOKIE_UNTIL: until };
    const given = { WFH_SECRET_KEYS: "A".repeat(43), ...settings };
    const findings = await checkKeys(configOf(given), null);
    assert.doesNotMatch(JSON.stringify(findings), /5e5e/);
    return findings;
  };
  test("that is good", async (t) => {
    const findings = await check(t, good, "2100-12-31");
    noComplaint(findings);
    assert.match(JSON.stringify(findings), /are accepted: \.ASPXAUTH and \.AspNet\.Application/);
  });
  test("that can go", async (t) => {
    const complaint = onlyComplaint(await check(t, good, "2026-01-31"));
    assert.match(complaint, /^warning: .* accepted no more\. -> unset WFH_LEGACY_MACHINE_KEY_FILE/);
  });
  test("that cannot be used", async (t) => {
    const complaint = onlyComplaint(await check(t, element('validation="MD5"'), "2100-12-31"));
    assert.match(complaint, /^problem: WFH_LEGACY_MACHINE_KEY_FILE=\S+: machineKey has/);
  });
  test("without its last day", async (t) => {
    const complaint = onlyComplaint(await check(t, good, ""));
    assert.match(complaint, /^problem: .*WFH_LEGACY_COOKIE_UNTIL: one of them is missing/);
  });
});

describe("doctor looks at the postal codes", () => {
  const builtIn = fileURLToPath(builtInGazetteer);
  test("that are old", async () => {
    const findings = await checkGazetteer(configOf(), Date.UTC(2030, 0, 1));
    assert.match(onlyComplaint(findings), /^warning: .* days old\. -> import newer ones/);
  });
  test("that are damaged", async (t) => {
    const file = join(openFixture(t).folder, "codes");
    const bytes = readFileSync(builtIn);
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const findings = await checkGazetteer(configOf({ WFH_GAZETTEER: file }), nowMs);
    assert.match(onlyComplaint(findings), /^problem: .*checksum.* -> .*wfh places rollback/);
  });
  test("that are a pipe, in the place of the release and of the one before", async (t) => {
    const file = join(openFixture(t).folder, "codes");
    execFileSync("mkfifo", [file, `${file}.previous`]);
    const config = configOf({ WFH_GAZETTEER: file });
    assert.match(
      onlyComplaint(await checkGazetteer(config, nowMs)),
      /^problem: .*codes is not a file\./,
    );
    rmSync(file);
    copyFileSync(builtIn, file);
    const found = await checkGazetteer(
      configOf({ WFH_GAZETTEER: file, WFH_COUNTRY_PRECEDENCE: "US" }),
      nowMs,
    );
    assert.match(
      onlyComplaint(found),
      /^warning: A rollback is not possible: .*previous is not a file/,
    );
  });
  test("that were imported, with the release before", async (t) => {
    const file = join(openFixture(t).folder, "codes");
    for (const name of [file, `${file}.previous`]) copyFileSync(builtIn, name);
    const settings = { WFH_GAZETTEER: file, WFH_COUNTRY_PRECEDENCE: "DE,US" };
    const findings = await checkGazetteer(configOf(settings), nowMs);
    assert.match(onlyComplaint(findings), /^warning: WFH_COUNTRY_PRECEDENCE names DE,/);
    const limited = await checkGazetteer(
      configOf({ WFH_GAZETTEER: file, WFH_COUNTRIES: "DE" }),
      nowMs,
    );
    assert.match(onlyComplaint(limited), /^warning: WFH_COUNTRIES names DE,/);
    assert.match(JSON.stringify(findings), /wfh places rollback would return/);
  });
});

test("doctor says how many accounts have hashes that only an earlier version can read", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["accounts", "add", "ada"], { piped: "mild otter paints a fence" });
  const database = new DatabaseSync(fixture.databaseFile);
  database.exec("UPDATE accounts SET hash_form = 'bcrypt/c=10+sealed'");
  database.close();
  const config = configOf({
    WFH_DATABASE_URL: fixture.databaseUrl,
    WFH_KEY_FILE: join(fixture.folder, "office.key"),
  });
  const { facts } = await checkDatabase(config.databaseUrl);
  const findings = (await checkKeys(config, facts)).filter(
    ({ check }) => check === "hashes-sealed",
  );
  assert.match(
    onlyComplaint(findings),
    /^problem: .* 1 of its accounts have imported hashes that are sealed.* -> run wfh accounts wrap of the/,
  );
});
