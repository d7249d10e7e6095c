import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { prepareArgon2 } from "./argon2.ts";
import { PasswordHasher } from "./password-hashing.ts";

/** Loads no binary, as on a platform that the packages have none for. */
const withoutBinaries = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith("@node-rs/")) throw new Error("no binary for this platform");
      return next(specifier, context);
    },
  });`;

/** Findings of the other process. */
interface Found {
  readonly right: readonly boolean[];
  readonly wrong: readonly boolean[];
  readonly records: readonly string[];
  readonly warnings: readonly string[];
}

/** Runs code where no binary can be loaded. */
function runWithoutBinaries(code: string): Found {
  const hooks = `data:text/javascript,${encodeURIComponent(withoutBinaries)}`;
  const flags = ["--import", hooks, "--input-type=module", "--eval", code];
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8" }));
}

const passwords = ["mild otter paints a fence", "Grüße", ""];

test("without a binary Node.js hashes, and either verifies what the other has hashed", async () => {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const records = await Promise.all(passwords.map((password) => hashing.hash(password)));
  const url = JSON.stringify(new URL(".//", import.meta.url));
  const found = runWithoutBinaries(`
    const { PasswordHasher } = await import(new URL("password-hashing.ts", ${url}));
    const { prepareArgon2 } = await import(new URL("argon2.ts", ${url}));
    const hashing = new PasswordHasher({ hashesAtOnce: 1 });
    const found = { right: [], wrong: [], records: [], warnings: [] };
    const records = ${JSON.stringify(records)};
    for (const [i, password] of ${JSON.stringify(passwords)}.entries()) {
      const forms = [hashing.formOf(records[i])];
      found.right.push(await hashing.verify(records[i], password, forms));
      found.wrong.push(await hashing.verify(records[i], password + "x", forms));
      found.records.push(await hashing.hash(password));
    }
    await prepareArgon2({ warn: (message) => found.warnings.push(message) });
    console.log(JSON.stringify(found));`);
  assert.deepEqual(
    [found.right, found.wrong],
    [passwords.map(() => true), passwords.map(() => false)],
  );
  assert.match(found.warnings.join("\n"), /^@node-rs\/argon2 has no binary for this platform: /);
  for (const [i, record] of found.records.entries()) {
    const forms = [hashing.formOf(record)];
    assert.equal(hashing.formOf(record), hashing.formOf(records[i] ?? ""));
    assert.equal(await hashing.verify(record, passwords[i] ?? "", forms), true);
    assert.equal(await hashing.verify(record, "another", forms), false);
  }
});

test("with its binary nothing is said", async () => {
  const warnings: string[] = [];
  await prepareArgon2({ warn: (message) => warnings.push(message) });
  assert.deepEqual(warnings, []);
});
