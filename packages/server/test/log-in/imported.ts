import assert from "node:assert/strict";
import { argon2Sync, createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { hashSync } from "@node-rs/bcrypt";
import type { ImportedAccount } from "../../src/domain/log-in/accounts/account-import.ts";
import { createFingerprints, readImportedHash } from "../../src/secrets/imported-hash.ts";
import { arrivalMs } from "../store/sample.ts";
import { logIn } from "./browser.ts";
import { keyOf, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

const password = "Grüße, my old friend";
const salt = Buffer.from("0123456789abcdef");
const utf16 = Buffer.from(password, "utf16le");
const base64 = (bytes: Buffer) => bytes.toString("base64");
const salted = (hash: Buffer) => `${base64(hash)}:${base64(salt)}`;

/** The same password as each old system has it. */
const old = {
  "aspnet-identity": base64(
    Buffer.concat([Buffer.of(0), salt, pbkdf2Sync(password, salt, 1_000, 32, "sha1")]),
  ),
  "aspnet-membership-sha1": salted(createHash("sha1").update(salt).update(utf16).digest()),
  "aspnet-membership-sha256": salted(createHash("sha256").update(salt).update(utf16).digest()),
  "aspnet-membership-hmacsha256": salted(
    createHmac("sha256", Buffer.alloc(64, salt)).update(utf16).digest(),
  ),
  "aspnet-membership-pbkdf2": `${salted(pbkdf2Sync(password, salt, 500, 20, "sha1"))}:500`,
  bcrypt: hashSync(password, 4, salt),
  argon2id: `$argon2id$v=19$m=16,t=2,p=1$${base64(salt).replace(/=+$/, "")}$${base64(
    argon2Sync("argon2id", {
      message: password,
      nonce: salt,
      memory: 16,
      passes: 2,
      parallelism: 1,
      tagLength: 24,
    }),
  )}`,
} as const;
const kinds = Object.keys(old) as (keyof typeof old)[];
const fingerprintsOf = createFingerprints([keyOf("a")]);

/** Imports an account for each kind, by the name of it; each has a record id beyond 100. */
async function importAll({ office, hashing }: World): Promise<void> {
  const accounts: ImportedAccount[] = [];
  for (const [i, kind] of kinds.entries()) {
    const { hash, fingerprints } = readImportedHash(old[kind], kind, fingerprintsOf);
    const record = "record" in hash ? hash.record : await hashing.rehash(hash);
    const recordId = BigInt(101 + i);
    const ids = { recordId, contactId: recordId, userName: kind, isEnabled: null };
    accounts.push({ ...ids, hash: { record, form: hashing.formOf(record) }, fingerprints });
  }
  const mode = { isOverwriting: false, isDryRun: false, nowMs: arrivalMs };
  await office.importAccounts(accounts, mode);
}

async function hashesOf({ database }: World): Promise<readonly string[]> {
  const rows = await database.query(
    "SELECT hash FROM accounts WHERE record_id > 100 ORDER BY record_id",
  );
  return rows.map(({ hash }) => String(hash));
}

async function logAllIn({ node }: World): Promise<void> {
  for (const userName of kinds) {
    const wrong = await logIn(node, { userName, password: password.toUpperCase() });
    assert.equal(wrong.kind, "refused", userName);
    const right = await logIn(node, { userName, password });
    assert.equal(right.kind, "in", userName);
  }
}

/** Accounts that an import brings. */
export const importedAccounts: Scenarios = {
  "accounts of every kind log in right after an import, and are upgraded by that": async (
    world,
  ) => {
    await importAll(world);
    const stored = await hashesOf(world);
    for (const [i, kind] of kinds.entries()) {
      assert.match(stored[i] ?? "", kind === "argon2id" ? /^\$argon2id\$/ : /^\$wrapped\$/);
    }
    await logAllIn(world);
    for (const hash of await hashesOf(world))
      assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    await logAllIn(world);
  },

  "nothing of an old hash can be found in the database": async (world) => {
    await importAll(world);
    const rows = [
      ...(await world.database.query("SELECT * FROM accounts WHERE user_name <> 'argon2id'")),
      ...(await world.database.query("SELECT * FROM account_imports")),
    ];
    const text = rows.flatMap((row) => Object.values(row).map(String)).join("\n");
    for (const kind of kinds) {
      assert.ok(!text.includes(old[kind].slice(-12)), kind);
      assert.ok(!text.includes(old[kind].slice(0, 24)), kind);
    }
  },
};
