import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import {
  type CliFixture,
  formIdsIn,
  isPassword,
  openCliFixture,
  openFixture,
  startOn,
} from "./cli-fixture.ts";
import { openUsedFixture } from "./doctor-fixture.ts";

const password = "mild otter paints a fence";

test("restore touches no database that is in use, and keeps the one that it replaces", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["accounts", "add", "bob"], { piped: password });
  const file = join(fixture.folder, "wfh");
  await fixture.run(["backup", file]);
  await fixture.run(["accounts", "add", "eve"], { piped: password });
  const server = await startOn(fixture);
  const inUse = await fixture.run(["restore", file, "--force"]);
  const dry = await fixture.run(["restore", file, "--dry-run"]);
  await server.close();
  assert.equal(dry.code, 1);
  assert.match(
    dry.out,
    /wfh of \S+, .* is intact\.\nThe restore is not possible: The database \S+ is in use\./,
  );
  assert.equal(inUse.code, 69);
  assert.match(inUse.err, /^The database \S+office\.db is in use\.\nStop the server/);

  const refused = await fixture.run(["restore", file]);
  assert.equal(refused.code, 69);
  assert.match(refused.err, /^The database \S+office\.db already exists\.\nUse --force/);
  assert.ok(await isPassword(fixture, "eve", password));

  const { code, out } = await fixture.run(["restore", file, "--force"]);
  assert.equal(code, 0);
  const [, kept = ""] =
    /^The replaced file is now (\S+office\.db\.replaced-\d{8}T\d{6}Z)$/m.exec(out) ?? [];
  assert.equal(await isPassword(fixture, "eve", password), false);
  assert.ok(await isPassword(fixture, "bob", password));
  assert.ok(await isPassword({ ...fixture, databaseUrl: `sqlite:${kept}` }, "eve", password));
});

test("restore replaces a database that cannot be opened any more", async (t) => {
  const fixture = await openUsedFixture(t);
  const file = join(fixture.folder, "wfh");
  await fixture.run(["backup", file]);
  writeFileSync(fixture.databaseFile, "Dear diary,\n".repeat(1_000));
  assert.equal((await fixture.run(["restore", file, "--force"])).code, 0);
  assert.equal(formIdsIn(fixture).size, 1);
});

test("a missing file, or a folder, has an error in plain words", async (t) => {
  const fixture = await openUsedFixture(t);
  const { folder } = fixture;
  const file = join(folder, "wfh");
  assert.equal((await fixture.run(["backup", file])).code, 0);
  const on = (path: string) => openCliFixture(`sqlite:${path}`);
  const nowhere = on(join(folder, "none", "office.db"));
  const aFolder = on(folder);
  t.after(() => [nowhere, aFolder].map((each) => each.close()));
  const cases: readonly [CliFixture, words: readonly string[], message: RegExp][] = [
    [fixture, ["restore", join(folder, "none")], /^File not found: \S+none\.\nNothing was/],
    [
      fixture,
      ["restore", folder],
      /^Cannot use the backup \S+: it has no manifest\.json\.\nNothing was/,
    ],
    [
      nowhere,
      ["restore", file],
      /^Folder not found: \S+none\.\nCreate it: mkdir -p -m 700 \S+none/,
    ],
    [aFolder, ["restore", file, "--force"], /^\S+ is a folder: name a file\. Nothing was changed/],
    [
      aFolder,
      ["backup", join(folder, "b")],
      /^The database \S+ does not exist, or this user cannot/,
    ],
  ];
  for (const [place, words, message] of cases) {
    const { code, err } = await place.run(words);
    assert.equal(code, 69, words.join(" "));
    assert.match(err, message);
    assert.doesNotMatch(err, /ENOENT|EISDIR|\n {4}at /);
  }
});

test("restore does not put a database beside the log of another one", async (t) => {
  const fixture = await openUsedFixture(t);
  const file = join(fixture.folder, "wfh");
  await fixture.run(["backup", file]);
  const other = openFixture(t);
  const log = `${other.databaseFile}-wal`;
  writeFileSync(log, "of a database that is gone");
  const refused = await other.run(["restore", file]);
  assert.match(refused.err, /^The write-ahead log \S+-wal exists without its database\./);
  assert.equal((await other.run(["restore", file, "--force"])).code, 0);
  assert.equal(existsSync(log), false);
  assert.equal(formIdsIn(other).size, 1);
});

/** Names a gazetteer in the settings of a place. */
function serveFrom({ folder }: CliFixture): string {
  const file = join(folder, "codes");
  const settings = join(folder, "settings.toml");
  writeFileSync(
    settings,
    `${readFileSync(settings, "utf8")}WFH_GAZETTEER = ${JSON.stringify(file)}\n`,
  );
  return file;
}

test("postal codes that were imported are restored, and a rollback leads to those before", async (t) => {
  const fixture = await openUsedFixture(t);
  const builtIn = fileURLToPath(builtInGazetteer);
  copyFileSync(builtIn, serveFrom(fixture));
  const file = join(fixture.folder, "wfh");
  await fixture.run(["backup", file]);

  const other = openFixture(t);
  const codes = serveFrom(other);
  const { code, out, err } = await other.run(["restore", file]);
  assert.equal(code, 0, err);
  assert.match(out, /^Created \S+codes$/m);
  assert.deepEqual(readFileSync(codes), readFileSync(builtIn));
  assert.ok(existsSync(`${codes}.previous`));
});
