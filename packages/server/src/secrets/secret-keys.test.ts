import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { readSecretKeys } from "./secret-keys.ts";

const run = promisify(execFile);
const [first = "", second = ""] = [1, 2].map((byte) =>
  Buffer.alloc(32, byte).toString("base64url"),
);
const textsOf = (keys: ReturnType<typeof readSecretKeys>) =>
  keys.map(({ bytes }) => Buffer.from(bytes).toString("base64url"));

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wfh-keys-"));
  file = join(folder, "keys");
});
afterEach(() => rm(folder, { recursive: true }));

const refusal = (message: RegExp) => (error: Error) => {
  assert.equal(error.name, "SecretKeyError");
  assert.match(error.message, message);
  assert.ok(!error.message.includes("secret-"), "nothing of a key is repeated");
  return true;
};

describe("keys of the settings", () => {
  test("win over the file, which is neither read nor made", async () => {
    assert.deepEqual(textsOf(readSecretKeys({ given: [first, second], file })), [first, second]);
    assert.deepEqual(await readdir(folder), []);
  });
  test("are named by the beginning of their SHA-256", () => {
    const [key] = readSecretKeys({ given: [first], file });
    const digest = createHash("sha256").update(Buffer.alloc(32, 1)).digest("base64url");
    assert.equal(key.id, digest.slice(0, 8));
  });
  const malformed: Readonly<Record<string, string>> = {
    "an empty one": "",
    "one of 31 bytes": Buffer.alloc(31).toString("base64url"),
    "one of 33 bytes": Buffer.alloc(33).toString("base64url"),
    "one with padding": `${first}=`,
    "one in plain base64": Buffer.alloc(32, 0xff).toString("base64").slice(0, -1),
    "a pass phrase": `secret-${first.slice(7, -1)}!`,
  };
  for (const [what, text] of Object.entries(malformed)) {
    test(`are refused by number: ${what}`, () => {
      assert.throws(
        () => readSecretKeys({ given: [first, text], file }),
        refusal(/^Secret key 2 of the settings is not a key: expected 32 random bytes/),
      );
    });
  }
});

describe("the file of keys", () => {
  test("is read line by line, without comments and empty lines", async () => {
    await writeFile(file, `# current\r\n${first}\r\n\n  # older\n  ${second}  `, { mode: 0o600 });
    assert.deepEqual(textsOf(readSecretKeys({ given: [], file })), [first, second]);
  });
  test("is made with one random key for its owner only, and stays", async () => {
    const keys = readSecretKeys({ given: [], file });
    assert.equal(keys.length, 1);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ["keys"]);
    assert.deepEqual(readSecretKeys({ given: [], file }), keys);
    assert.match(await readFile(file, "utf8"), /^# .*\n[\w-]{43}\n$/);
    const other = readSecretKeys({ given: [], file: join(folder, "other") });
    assert.notDeepEqual(other, keys);
  });
  test("is the same for programs that start at the same time", async () => {
    const module = new URL("./secret-keys.ts", import.meta.url).href;
    const program = `import { readSecretKeys } from ${JSON.stringify(module)};
      process.stdout.write(readSecretKeys({ given: [], file: ${JSON.stringify(file)} })[0].id);`;
    const arguments_ = ["--input-type=module", "--eval", program];
    const outputs = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, arguments_)),
    );
    const [own] = readSecretKeys({ given: [], file });
    for (const { stdout } of outputs) assert.equal(stdout, own.id);
    assert.deepEqual(await readdir(folder), ["keys"]);
  });
  for (const mode of [0o640, 0o604, 0o620]) {
    test(`is refused with mode ${mode.toString(8)}, with the command that mends it`, async () => {
      await writeFile(file, `${first}\n`);
      await run("chmod", [mode.toString(8), file]);
      assert.throws(() => readSecretKeys({ given: [], file }), refusal(/run chmod 600 .*\/keys$/));
    });
  }
  test("is refused by the number of a line that is no key", async () => {
    await writeFile(file, `# one\n${first}\nsecret-text\n`, { mode: 0o600 });
    assert.throws(
      () => readSecretKeys({ given: [], file }),
      refusal(/^Line 3 of .*\/keys is not a key: expected .* 43 characters$/),
    );
  });
  test("is refused without a key: none is put into a file that someone made", async () => {
    await writeFile(file, "# nothing yet\n", { mode: 0o600 });
    assert.throws(() => readSecretKeys({ given: [], file }), refusal(/holds no key/));
    assert.equal(await readFile(file, "utf8"), "# nothing yet\n");
  });
  test("is refused when it is a folder or very large", async () => {
    assert.throws(() => readSecretKeys({ given: [], file: folder }), refusal(/is not a file of/));
    await writeFile(file, `${first}\n`.repeat(2_000), { mode: 0o600 });
    assert.throws(() => readSecretKeys({ given: [], file }), refusal(/is not a file of/));
  });
  test("is refused when it is a pipe, without waiting for a writer", async (t) => {
    if (process.platform === "win32") return t.skip("Windows has no such pipes in folders");
    await promisify(execFile)("mkfifo", ["-m", "600", file]);
    // In a process of its own: a wait would stop this one for ever.
    const module = new URL("./secret-keys.ts", import.meta.url).href;
    const script = `import { readSecretKeys } from ${JSON.stringify(module)};
      readSecretKeys({ given: [], file: ${JSON.stringify(file)} });`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 10_000,
    });
    await assert.rejects(run, /is not a file of secret keys: expected a regular file/);
  });
  test("is not made where there is no folder", () => {
    const lost = join(folder, "lost", "keys");
    assert.throws(
      () => readSecretKeys({ given: [], file: lost }),
      refusal(/cannot be made: Folder not found: /),
    );
  });
});
