import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { fillSlots } from "@wfh/server/test/gazetteer/sample.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { digestOf } from "../src/commands/backup/manifest.ts";
import { openCliFixture, openFixture } from "./cli-fixture.ts";

type Manifest = Record<string, Record<string, unknown>>;

const shelf = openCliFixture();
after(() => shelf.close());
const good = join(shelf.folder, "wfh");
const key = join(shelf.folder, "office.key");
before(async () => {
  await (await openTestStore(shelf.databaseUrl)).store.close();
  writeFileSync(key, `${Buffer.alloc(32, 7).toString("base64url")}\n`, { mode: 0o600 });
  const { code, err } = await shelf.run(["backup", good, "--include-keys"]);
  assert.equal(code, 0, err);
});

/** A copy of the good backup without one of its files, or with the file changed. */
function damaged(name: string, change?: (bytes: Buffer) => string | Uint8Array): string {
  const copy = join(shelf.folder, "damaged");
  rmSync(copy, { recursive: true, force: true });
  cpSync(good, copy, { recursive: true });
  const file = join(copy, name);
  if (change === undefined) rmSync(file);
  else writeFileSync(file, change(readFileSync(file)));
  return copy;
}

/** A copy of the good backup with another manifest. */
function withManifest(change: (manifest: Manifest) => unknown): string {
  return damaged(inManifest, (bytes) => {
    const manifest = JSON.parse(bytes.toString()) as Manifest;
    change(manifest);
    return JSON.stringify(manifest);
  });
}

const inDatabase = "database.sqlite";
const inManifest = "manifest.json";
const strange: readonly [name: string, make: () => string, message: RegExp][] = [
  [
    "counts no rows",
    () => withManifest(({ database }) => delete database?.["rows"]),
    /manifest is incomplete/,
  ],
  [
    "has a schema without a version",
    () => withManifest(({ database }) => Object.assign(database ?? {}, { schemaVersion: "9" })),
    /manifest is incomplete/,
  ],
  [
    "counts no postal codes",
    () => withManifest(({ gazetteer }) => delete gazetteer?.["postalCodes"]),
    /manifest is incomplete/,
  ],
  [
    "has a remark in its time",
    () => withManifest((all) => Object.assign(all, { createdAt: "2026-11-21 (\u001b[31m)" })),
    /manifest is incomplete/,
  ],
  [
    "has a layout version that a terminal obeys",
    () => withManifest((all) => Object.assign(all, { formatVersion: "\u001b[2J\u202e" })),
    /it has format version \\u001b\[2J\\u202e, but this program reads only 1/,
  ],
  [
    "is of a newer layout",
    () => withManifest((all) => Object.assign(all, { formatVersion: 7 })),
    /format version 7.*newer/,
  ],
  [
    "is of a newer schema",
    () => withManifest(({ database }) => Object.assign(database ?? {}, { schemaVersion: 99 })),
    /schema version 99,/,
  ],
  ["has no manifest", () => damaged(inManifest), /it has no manifest\.json/],
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
    "is cut off",
    () => damaged(inDatabase, (bytes) => bytes.subarray(0, 100_000)),
    /database\.sqlite in it is damaged: its SHA-256 checksum/,
  ],
  [
    "has a wrong byte in the database",
    () => damaged(inDatabase, (bytes) => bytes.fill((bytes[5_000] ?? 0) ^ 1, 5_000, 5_001)),
    /database\.sqlite in it is damaged: its SHA-256 checksum/,
  ],
];
for (const [name, make, message] of strange) {
  test(`restore refuses a backup that ${name}, and changes nothing`, async (t) => {
    const other = openFixture(t);
    const { code, out, err } = await other.run(["restore", make()]);
    assert.deepEqual({ code, out }, { code: 69, out: "" });
    assert.match(err, message);
    assert.match(err, /Nothing was changed\.\n$/);
    assert.doesNotMatch(err, /[^\n\P{Cc}]|\p{Cf}/u);
    assert.deepEqual(readdirSync(other.folder), ["settings.toml"]);
  });
}

test("restore tells who made a backup in characters that a terminal does not obey", async (t) => {
  const file = withManifest((all) => Object.assign(all, { program: "\u001b[31m9.9" }));
  const { code, out } = await openFixture(t).run(["restore", file]);
  assert.equal(code, 0);
  assert.match(out, /made by version \\u001b\[31m9\.9, is intact/);
});

const unusable: readonly [string, Buffer, RegExp][] = [
  ["are no gazetteer", Buffer.from("of another age"), /is not a gazetteer/],
  [
    "have no empty slot",
    Buffer.from(fillSlots(readFileSync(builtInGazetteer))),
    /codes\S* cannot be used: Gazetteer .* is damaged.*: Too few slots are empty/,
  ],
];
for (const [what, codes, message] of unusable) {
  test(`restore changes neither key nor database for postal codes that ${what}`, async (t) => {
    const other = openFixture(t);
    await (await openTestStore(other.databaseUrl)).store.close();
    const otherKey = join(other.folder, "office.key");
    writeFileSync(otherKey, `${Buffer.alloc(32, 9).toString("base64url")}\n`, { mode: 0o600 });
    const before = [readFileSync(otherKey), readFileSync(other.databaseFile)];
    const digest = await digestOf([codes]);
    const folder = withManifest(({ gazetteer }) =>
      Object.assign(gazetteer ?? {}, digest, { isBuiltIn: false }),
    );
    writeFileSync(join(folder, "gazetteer.bin"), codes);
    const settings = join(other.folder, "settings.toml");
    const text = `${readFileSync(settings, "utf8")}WFH_GAZETTEER = ${JSON.stringify(join(other.folder, "codes"))}\n`;
    writeFileSync(settings, text);
    const { code, err } = await other.run(["restore", folder, "--force"]);
    assert.equal(code, 69);
    assert.match(err, message);
    assert.deepEqual([readFileSync(otherKey), readFileSync(other.databaseFile)], before);
  });
}

test("a tar file of version 0.1 is refused with the command that unpacks it", async (t) => {
  const file = join(shelf.folder, "old.tar");
  const run = promisify(execFile);
  await run("tar", ["-cf", file, "-C", good, ...readdirSync(good)]);
  const other = openFixture(t);
  const refused = await other.run(["restore", file]);
  assert.equal(refused.code, 69);
  const [, command = ""] = /Unpack one that version 0\.1 made: (.*)\.\n/.exec(refused.err) ?? [];
  const unpacked = join(other.folder, "old");
  await run("sh", ["-c", command.replaceAll("<folder>", unpacked)]);
  assert.equal((await other.run(["restore", unpacked])).code, 0);
});
