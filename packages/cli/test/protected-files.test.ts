import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CliFixture, isPassword, openFixture } from "./cli-fixture.ts";

const password = "mild otter paints a fence";
const users = `id,name,hash\n7,ada,${Buffer.alloc(49).toString("base64")}\n8,bob\n`;

const commands: readonly (readonly string[])[] = [
  ["accounts", "import", "users.csv", "--rejects"],
  ["accounts", "import", "users.csv", "--dry-run", "--rejects"],
  ["forms", "export", "--output"],
  ["page-requests", "export", "--format", "csv", "--output"],
  ["backup"],
];

/** The command with its file in a place, writing to another one. */
function into(fixture: CliFixture, words: readonly string[], file: string): readonly string[] {
  const inPlace = words.map((word) => (word === "users.csv" ? join(fixture.folder, word) : word));
  return [...inPlace, file];
}

for (const words of commands) {
  test(`wfh ${words.join(" ")} never takes the place of the database or the key`, async (t) => {
    const fixture = openFixture(t);
    writeFileSync(join(fixture.folder, "users.csv"), users);
    await fixture.run(["accounts", "add", "eve"], { piped: password });
    const key = join(fixture.folder, "office.key");
    writeFileSync(key, `${Buffer.alloc(32, 7).toString("base64url")}\n`, { mode: 0o600 });
    const before = readFileSync(key);
    symlinkSync(fixture.databaseFile, join(fixture.folder, "link"));
    const names = ["office.db", "office.db-wal", "office.db-journal", "office.key", "link"];
    for (const name of names) {
      const { code, err } = await fixture.run(into(fixture, words, join(fixture.folder, name)));
      assert.equal(code, 2, name);
      assert.match(err, /is a file of the server, not the place for /m);
    }
    assert.ok(await isPassword(fixture, "eve", password));
    assert.deepEqual(readFileSync(key), before);
  });
}

test("wfh accounts import never writes rejected rows over the file that it reads", async (t) => {
  const fixture = openFixture(t);
  const file = join(fixture.folder, "users.csv");
  writeFileSync(file, users);
  for (const options of [["--dry-run"], []]) {
    const words = [
      "accounts",
      "import",
      file,
      ...options,
      "--rejects",
      `${fixture.folder}/./users.csv`,
    ];
    const { code, err } = await fixture.run(words);
    assert.equal(code, 2);
    assert.match(
      err,
      /is the input file, not the place for rejected rows\.\nChoose another name\./,
    );
  }
  assert.equal(readFileSync(file, "utf8"), users);
});
