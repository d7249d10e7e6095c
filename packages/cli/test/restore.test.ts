import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
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
  assert.equal(inUse.code, 3);
  assert.match(inUse.err, /^The database \S+office\.db is in use\.\nStop the server/);

  const refused = await fixture.run(["restore", file]);
  assert.equal(refused.code, 3);
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
    assert.equal(code, 3, words.join(" "));
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

const shelf = openCliFixture();
after(() => shelf.close());
const good = join(shelf.folder, "wfh");
before(async () => {
  await (await openTestStore(shelf.databaseUrl)).store.close();
  assert.equal((await shelf.run(["backup", good])).code, 0);
});

/** The good backup with one of its files changed. */
function damaged(name: string, change: (bytes: Buffer) => Uint8Array): string {
  const copy = join(shelf.folder, "damaged");
  rmSync(copy, { recursive: true, force: true });
  cpSync(good, copy, { recursive: true });
  writeFileSync(join(copy, name), change(readFileSync(join(copy, name))));
  return copy;
}

function replaced(from: string, to: string): (bytes: Buffer) => Uint8Array {
  return (bytes) => {
    const at = bytes.indexOf(from);
    assert.ok(at >= 0);
    bytes.write(to, at, "latin1");
    return bytes;
  };
}

function withoutManifest(): string {
  const copy = damaged("manifest.json", (bytes) => bytes);
  rmSync(join(copy, "manifest.json"));
  return copy;
}

const inDatabase = "database.sqlite";
const inManifest = "manifest.json";
const damages: readonly [name: string, make: () => string, message: RegExp][] = [
  [
    "is cut off",
    () => damaged(inDatabase, (bytes) => bytes.subarray(0, 100_000)),
    /database\.sqlite in it is damaged: its SHA-256 checksum/,
  ],
  [
    "has a wrong byte in the database",
    () =>
      damaged(inDatabase, (bytes) => {
        bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
        return bytes;
      }),
    /database\.sqlite in it is damaged: its SHA-256 checksum/,
  ],
  ["has no manifest", withoutManifest, /it has no manifest\.json/],
  [
    "has something else for a manifest",
    () => damaged(inManifest, () => Buffer.alloc(4_096, "x")),
    /its manifest is not from wfh backup/,
  ],
  [
    "has a manifest without end",
    () => damaged(inManifest, () => Buffer.alloc(300_000, " ")),
    /its manifest is too long/,
  ],
  [
    "is of a newer layout",
    () => damaged(inManifest, replaced('"formatVersion": 1', '"formatVersion": 7')),
    /format version 7.*newer/,
  ],
  [
    "is of a newer schema",
    () => damaged(inManifest, replaced('"schemaVersion": ', '"schemaVersion":9')),
    /schema version 9\d*,/,
  ],
];
for (const [name, make, message] of damages) {
  test(`restore refuses a backup that ${name}, and changes nothing`, async (t) => {
    const other = openFixture(t);
    const { code, out, err } = await other.run(["restore", make()]);
    assert.deepEqual({ code, out }, { code: 3, out: "" });
    assert.match(err, message);
    assert.match(err, /Nothing was changed\.\n$/);
    assert.deepEqual(readdirSync(other.folder), ["settings.toml"]);
  });
}

test("a tar file of version 0.1 is refused with the command that unpacks it", async (t) => {
  const file = join(shelf.folder, "old.tar");
  const run = promisify(execFile);
  await run("tar", ["-cf", file, "-C", good, "manifest.json", "database.sqlite", "gazetteer.bin"]);
  const other = openFixture(t);
  const refused = await other.run(["restore", file]);
  assert.equal(refused.code, 3);
  const [, command = ""] = /Unpack one that version 0\.1 made: (.*)\.\n/.exec(refused.err) ?? [];
  const unpacked = join(other.folder, "old");
  await run("sh", ["-c", command.replaceAll("<folder>", unpacked)]);
  assert.equal((await other.run(["restore", unpacked])).code, 0);
});
