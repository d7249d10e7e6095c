import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, pbkdf2Sync } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { type CliFixture, isPassword, openFixture, openFixtureOn } from "./cli-fixture.ts";

const password = "mild otter paints a fence";
const salt = Buffer.from("0123456789abcdef");
const salt64 = salt.toString("base64");
const hash = createHash("sha1").update(salt).update(Buffer.from(password, "utf16le"));
const sha1 = hash.digest("base64");
const identity = Buffer.concat([
  Buffer.of(0),
  salt,
  pbkdf2Sync(password, salt, 1_000, 32, "sha1"),
]).toString("base64");

/** Stored as it is, so that many rows take no time. */
const argon2id = '"$argon2id$v=19$m=16,t=2,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg"';

const engines = await startEngines();

function fileOf({ folder }: CliFixture, name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Accounts as they are listed, without times. */
async function listed(fixture: CliFixture) {
  const { out } = await fixture.run(["accounts", "list", "--json"]);
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/,"createdAt".*/, "}"));
}

/** Runs an import with `--json`. */
async function importJson(fixture: CliFixture, words: readonly string[], piped = "") {
  const run = await fixture.run(["accounts", "import", ...words, "--json"], { piped });
  const said = run.out === "" ? {} : JSON.parse(run.out);
  return { code: run.code, err: run.err, out: run.out, said };
}

for (const engine of engines) {
  test(`wfh accounts import on ${engine.name}: the same file twice changes nothing, whatever happened between`, {
    skip: engine.missing ?? false,
  }, async (t) => {
    const fixture = await openFixtureOn(engine, t);
    const rows = [
      "\ufeffRecord_Id,Contact_Id,UserName,Password,PasswordSalt,PasswordFormat,IsLockedOut,Email",
      `9007199254740993,-9223372036854775808,"Müller, Ada",${sha1},${salt64},1,0,a@b.example`,
      `2,,Bob,${sha1},${salt64},1,True,`,
      `3,NULL,Carol,${identity},NULL,1,NULL,`,
    ];
    const file = fileOf(fixture, "members.csv", `${rows.join("\r\n")}\r\n`);
    const dry = await importJson(fixture, [file, "--dry-run"]);
    assert.deepEqual([dry.code, dry.said.added, dry.said.dryRun], [0, 3, true]);
    assert.equal((await fixture.run(["accounts", "list"])).code, 69, "it makes no database");
    const first = await fixture.run(["accounts", "import", file]);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^aspnet-membership-sha1 +2$/m);
    assert.match(first.out, /^ +3 +0 +0 +0 +3$/m);
    assert.match(first.out, /^Hashed 3 imported hashes with Argon2id\.$/m);
    assert.match(first.err, /^Ignored columns: Email$/m);
    const rehashed = "upgraded at the next log-in";
    const table = (await fixture.run(["accounts", "list"])).out;
    assert.match(table, new RegExp(`^9007199254740993 +-9223372036854775808 .*${rehashed}`, "m"));
    assert.match(table, /^2 +2 +Bob +disabled /m);
    assert.match(table, /^3 +3 +Carol +enabled +ASP\.NET Identity/m);
    assert.ok(await isPassword(fixture, "müller, ada", password));

    await fixture.run(["accounts", "passwd", "carol"], { piped: `${password} now` });
    await fixture.run(["accounts", "enable", "bob"]);
    const before = await listed(fixture);
    const again = await importJson(fixture, [file]);
    const counts = { rows: 3, added: 0, changed: 0, unchanged: 3, rejected: 0, hashed: 0 };
    assert.deepEqual({ ...again.said, ...counts }, again.said);
    assert.deepEqual(await listed(fixture), before);
    assert.ok(await isPassword(fixture, "carol", `${password} now`));
  });

  test(`wfh accounts import on ${engine.name}: kill -9 leaves whole batches, and the same command goes on`, {
    skip: engine.missing ?? false,
  }, async (t) => {
    const fixture = await openFixtureOn(engine, t, { isNew: false });
    const { database } = fixture;
    const rows = Array.from({ length: 250 }, (_, i) => `${i + 1},user ${i + 1},${identity}\n`);
    const piped = `id,name,hash\n${rows.join("")}`;
    const settings = join(fixture.folder, "settings.toml");
    const words = ["packaging/npm/wfh.ts", "accounts", "import", "-", "--config", settings];
    const child = spawn(process.execPath, words, { stdio: ["pipe", "ignore", "ignore"] });
    const ended = once(child, "exit");
    // The input stays open: one batch is written while the command waits for more.
    child.stdin.on("error", () => {});
    child.stdin.write(piped);
    const count = async () => {
      const [row] = await database.query("SELECT count(*) AS rows FROM accounts").catch(() => []);
      return Number(row?.["rows"] ?? 0);
    };
    while ((await count()) === 0) assert.equal(child.exitCode, null);
    child.kill("SIGKILL");
    await ended;
    const stored = await count();
    assert.ok(await isPassword(fixture, "user 1", password));
    const { said } = await importJson(fixture, ["-"], piped);
    const rest = rows.length - stored;
    assert.deepEqual([said.added, said.hashed, said.unchanged], [rest, rest, stored]);
    assert.ok(await isPassword(fixture, "user 250", password));
  });
}

test("wfh accounts import takes a newer hash, but none over a password that was set here", async (t) => {
  const fixture = openFixture(t);
  const rowsOf = (one: string) =>
    ["ada", "bob"]
      .map((name, i) => JSON.stringify({ recordId: i + 1, userName: name, hash: hashOf(one) }))
      .join("\n");
  const hashOf = (text: string) => {
    const own = createHash("md5").update(text).digest();
    return Buffer.concat([Buffer.of(0), own, pbkdf2Sync(text, own, 1_000, 32, "sha1")]).toString(
      "base64",
    );
  };
  const first = await importJson(fixture, ["-"], rowsOf("first"));
  assert.equal(first.said.hashed, 2);
  await fixture.run(["accounts", "passwd", "bob"], { piped: password });
  const newer = await importJson(fixture, ["-"], rowsOf("second"));
  assert.deepEqual([newer.code, newer.said.hashed], [1, 1]);
  assert.deepEqual(newer.said.reasons, { "password-set-here": 1 });
  assert.match(
    newer.err,
    /^Line 2, record 2, bob: The password was changed on this server\. .*--overwrite/m,
  );
  assert.ok(await isPassword(fixture, "ada", "second"));
  assert.ok(await isPassword(fixture, "bob", password));
  const overwritten = await importJson(fixture, ["-", "--overwrite"], rowsOf("second"));
  assert.deepEqual([overwritten.code, overwritten.said.changed], [0, 1]);
  assert.ok(await isPassword(fixture, "bob", "second"));
});

test("wfh accounts import reads gzip and JSON lines, and keeps every digit", async (t) => {
  const fixture = openFixture(t);
  const lines = [
    `{"Record_Id": 9223372036854775807, "contactId": "-9007199254740993", "UserName": "Ada", "PasswordHash": "${identity}", "LockoutEnabled": true, "LockoutEnd": "9999-12-31T23:59:59Z"}`,
    `{"record_id": -1, "login": "Bob", "passwordHash": "${identity}", "LockoutEnabled": true, "LockoutEnd": null, "roles": null}`,
  ];
  const file = fileOf(fixture, "users.ndjson.gz", gzipSync(lines.join("\r\n")));
  const { said } = await importJson(fixture, [file, "--quiet"]);
  assert.deepEqual(said.kinds, { "aspnet-identity-v2": 2 });
  const accounts = (await listed(fixture)).join("\n");
  assert.match(
    accounts,
    /"recordId":9223372036854775807,"contactId":-9007199254740993,.*"isEnabled":false/,
  );
  assert.match(accounts, /"recordId":-1,"contactId":-1,"userName":"Bob","isEnabled":true/);
});

const secret = "hunter2hunter2";
const rejected: readonly [cells: Record<string, unknown>, reason: string, message: RegExp][] = [
  [{ recordId: null }, "bad-id", /The record ID is missing/],
  [{ recordId: 0 }, "bad-id", /64-bit integer other than 0/],
  [{ recordId: 1.5 }, "bad-id", /64-bit integer/],
  [{ recordId: "9223372036854775808" }, "bad-id", /64-bit integer/],
  [{ recordId: "0f8fad5b-d9cb-469f-a165-70867728950e" }, "bad-id", /this is a GUID/],
  [{ contactId: secret }, "bad-id", /The contact ID must be a 64-bit integer/],
  [{ userName: " " }, "bad-name", /The user name is empty/],
  [{ userName: "a\u0007" }, "bad-name", /contains invisible characters/],
  [{ hash: "" }, "no-hash", /wfh accounts add/],
  [{ hash: secret }, "unknown-kind", /--hash or in a Kind column/],
  [{ hash: secret, kind: "bcrypt" }, "bad-hash", /\$2a\$, \$2b\$ or \$2y\$/],
  [{ hash: secret, kind: "md5" }, "unknown-kind", /expected aspnet-identity, /],
  [{ hash: secret, passwordFormat: 0 }, "plain-text", /plain text \(PasswordFormat 0\)/],
  [{ hash: secret, passwordFormat: "Encrypted" }, "encrypted", /PasswordFormat 2/],
  [{ hash: secret, passwordFormat: 3 }, "unknown-kind", /must be 0, 1 or 2/],
  [
    { hash: `${sha1.slice(0, -1)}AAAAAAAAAAAAAAAA=`, salt: salt64 },
    "unknown-kind",
    /hashAlgorithmType/,
  ],
  [
    { hash: "$argon2i$v=19$m=16,t=2,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc" },
    "bad-hash",
    /another kind of Arg/,
  ],
  [{ hash: "$2x$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s." }, "bad-hash", /bcrypt/],
  [{ isLockedOut: "maybe" }, "bad-flag", /IsLockedOut must be true or false/],
  [{ userName: ["a"] }, "unreadable", /userName must be text or a number/],
  [{ userName: { deep: secret } }, "unreadable", /userName must be text or a number/],
];

test("wfh accounts import says why a row is rejected, on which line, and shows no secret", async (t) => {
  const fixture = openFixture(t);
  const rows = rejected.map(([cells], i) =>
    JSON.stringify({ recordId: i + 10, userName: `u${i}`, hash: identity, ...cells }),
  );
  const good = JSON.stringify({ recordId: 1, userName: "good", hash: identity });
  const rejects = join(fixture.folder, "rejects.ndjson");
  const piped = [good, `{"recordId": 2, "hash": "${secret}"`, ...rows].join("\n");
  const { code, err, out, said } = await importJson(fixture, ["-", "--rejects", rejects], piped);
  assert.equal(code, 1);
  assert.deepEqual([said.added, said.rejected], [1, rejected.length + 1]);
  const written = readFileSync(rejects, "utf8");
  const lines = written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, rejected.length + 1);
  assert.equal(lines[0].line, 2);
  for (const [i, [, reason, message]] of rejected.entries()) {
    assert.equal(lines[i + 1].line, i + 3);
    assert.equal(lines[i + 1].reason, reason, lines[i + 1].message);
    assert.match(lines[i + 1].message, message);
  }
  assert.match(err, /^and 2 more \(see .*rejects\.ndjson\)$/m);
  for (const text of [err, out, written]) {
    assert.ok(!text.includes(secret) && !text.includes(identity) && !text.includes(sha1));
  }
  assert.equal(statSync(rejects).mode & 0o077, 0);
});

test("wfh accounts import finds what a file says twice, however far apart", async (t) => {
  const fixture = openFixture(t);
  const row = (id: number, name: string) => `${id},${name},${argon2id}`;
  const many = Array.from({ length: 520 }, (_, i) => row(i + 1, `user ${i + 1}`));
  const piped = ["id,name,hash", ...many, row(1, "other"), row(9_999, "USER 1 "), ""].join("\n");
  for (const mode of [[], ["--dry-run"]]) {
    const { said, err } = await importJson(fixture, ["-", ...mode], piped);
    assert.deepEqual(said.reasons, { "duplicate-id": 1, "duplicate-name": 1 });
    assert.match(err, /^Line 522, record 1, other: The record ID is already on line 2\.$/m);
    assert.match(err, /^Line 523, record 9999, USER 1 *: The user name is already on line 2\.$/m);
  }
  assert.equal((await listed(fixture)).length, 520);
});

test("wfh accounts import keeps whole batches of a file that ends badly, and goes on later", async (t) => {
  const fixture = openFixture(t);
  const many = Array.from({ length: 700 }, (_, i) => `${i + 1},user ${i + 1},${argon2id}`);
  const bytes = Buffer.from(["id,name,hash", ...many, '8,"open'].join("\n"));
  const broken = await importJson(fixture, ["-"], bytes.toString());
  assert.equal(broken.code, 69);
  assert.match(broken.err, /line 702: has an unclosed quotation mark/);
  assert.equal((await listed(fixture)).length, 600);
  const mended = ["id,name,hash", ...many].join("\n");
  const { said } = await importJson(fixture, ["-"], mended);
  assert.deepEqual([said.added, said.unchanged], [100, 600]);
});

test("wfh accounts import ends between two batches on Ctrl+C, and goes on later", async (t) => {
  const fixture = openFixture(t);
  const rows = Array.from({ length: 3_000 }, (_, i) => `${i + 1},user ${i + 1},${argon2id}\n`);
  const listeners = process.listeners("SIGINT");
  async function* typed() {
    yield "id,name,hash\n";
    for (let first = 0; first < rows.length; first += 50) {
      // Little is read ahead, so by now some batches are written.
      const pressed = first === 2_000 ? process.listeners("SIGINT") : [];
      for (const press of pressed) if (!listeners.includes(press)) press("SIGINT");
      yield rows.slice(first, first + 50).join("");
    }
  }
  const stream = Readable.from(typed(), { highWaterMark: 1 });
  const words = ["accounts", "import", "-"];
  const { code, out } = await fixture.run(words, { stream });
  assert.equal(code, 130);
  assert.match(out, /^Interrupted: .* Run the same command again to continue\.$/m);
  const stored = (await listed(fixture)).length;
  assert.ok(stored >= 200 && stored < rows.length, `${stored}`);
  assert.deepEqual(process.listeners("SIGINT"), listeners);
  const whole = `id,name,hash\n${rows.join("")}`;
  const { said } = await importJson(fixture, ["-"], whole);
  assert.deepEqual([said.added, said.unchanged], [rows.length - stored, stored]);
});

test("wfh accounts forget-imports makes accounts our own", async (t) => {
  const fixture = openFixture(t);
  const piped = `id,name,hash\n1,ada,${identity}\n`;
  await importJson(fixture, ["-"], piped);
  const { out } = await fixture.run(["accounts", "forget-imports"]);
  assert.match(out, /^Deleted the fingerprints of 1 account\./);
  const again = await importJson(fixture, ["-"], piped);
  assert.deepEqual([again.code, again.said.reasons], [1, { "not-imported": 1 }]);
  assert.ok(await isPassword(fixture, "ada", password));
});
