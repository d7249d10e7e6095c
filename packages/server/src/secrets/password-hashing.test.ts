import assert from "node:assert/strict";
import { argon2Sync, createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { test } from "node:test";
import { hashSync } from "@node-rs/bcrypt";
import fc from "fast-check";
import { type LegacyKind, legacyKinds, readLegacyHash } from "./legacy-hash.ts";
import { PasswordHasher } from "./password-hashing.ts";

/** Little enough for hundreds of records; the algorithm is the same. */
const cheap = { memoryKib: 8, passes: 1, lanes: 1 };
const hashing = new PasswordHasher({ hashesAtOnce: 2, work: cheap });

/** Hashes a password as an old system does, if possible without the code under test. */
const oldSystems: Readonly<Record<LegacyKind, (password: string, salt: Buffer) => string>> = {
  "aspnet-identity": (password, salt) => {
    const head = Buffer.from("01000000010000000a00000010", "hex");
    const subkey = pbkdf2Sync(password, salt, 10, 32, "sha256");
    return Buffer.concat([head, salt, subkey]).toString("base64");
  },
  "aspnet-membership-sha1": (password, salt) => membership("sha1", password, salt),
  "aspnet-membership-sha256": (password, salt) => membership("sha256", password, salt),
  "aspnet-membership-hmacsha256": (password, salt) => {
    const key = Buffer.concat([salt, salt, salt, salt]);
    const hash = createHmac("sha256", key).update(Buffer.from(password, "utf16le"));
    return `${hash.digest("base64")}:${salt.toString("base64")}`;
  },
  "aspnet-membership-pbkdf2": (password, salt) => {
    const hash = pbkdf2Sync(password, salt, 20, 32, "sha256");
    return `${hash.toString("base64")}:${salt.toString("base64")}:20:HMACSHA256`;
  },
  bcrypt: (password, salt) => hashSync(password, 4, salt),
};

function membership(algorithm: string, password: string, salt: Buffer): string {
  const bytes = Buffer.concat([salt, Buffer.from(password, "utf16le")]);
  return `${createHash(algorithm).update(bytes).digest("base64")}:${salt.toString("base64")}`;
}

const salts = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes));
/** Up to 14 characters, which are never more than the 72 bytes that bcrypt looks at. */
const passwords = fc.string({ unit: "grapheme-composite", maxLength: 14 }).filter((password) => {
  return Buffer.byteLength(password) <= 72 && !password.includes("\0");
});

test("a record of the current work is a PHC string of Argon2id: 19 MiB, 2 passes, 1 lane", async () => {
  const current = new PasswordHasher({ hashesAtOnce: 1 });
  const record = await current.hash("correct horse");
  const [, salt = "", text] =
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$(\S{22})\$(\S+)$/.exec(record) ?? [];
  const tag = argon2Sync("argon2id", {
    message: "correct horse",
    nonce: Buffer.from(salt, "base64"),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  assert.equal(text, tag.toString("base64").replace("=", ""));
  assert.equal(current.formOf(record), "argon2id/v=19,m=19456,t=2,p=1");
  assert.equal(current.isCurrent(record), true);
  assert.equal(await current.verify(record, "correct horse", []), true);
  assert.equal(await current.verify(record, "correct horsf", []), false);
});

test("a password has another record each time", async () => {
  assert.notEqual(await hashing.hash("secret"), await hashing.hash("secret"));
});

test("a password is the same however its characters are composed", async () => {
  const record = await hashing.hash("Gr\u00fc\u00dfe \ufb01");
  assert.equal(await hashing.verify(record, "Gru\u0308\u00dfe fi", []), true);
});

test("blanks and the end of a long password count", async () => {
  const long = "x".repeat(1_000);
  assert.equal(await hashing.verify(await hashing.hash("secret"), " secret", []), false);
  assert.equal(await hashing.verify(await hashing.hash(long), `${long}y`, []), false);
});

test("every password is verified by its record and by no other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.string(), async (password, other) => {
      const record = await hashing.hash(password);
      assert.equal(await hashing.verify(record, password, []), true);
      const isSame = password.normalize("NFKC") === other.normalize("NFKC");
      assert.equal(await hashing.verify(record, other, []), isSame);
    }),
  );
});

for (const kind of legacyKinds) {
  test(`${kind}: a wrapped hash is verified by its password only, whatever forms there are`, async () => {
    const forms = [
      "bcrypt/c=4+argon2id/v=19,m=16,t=1,p=1",
      "argon2id/v=19,m=16,t=1,p=2",
      "unknown",
    ];
    await fc.assert(
      fc.asyncProperty(passwords, salts, async (password, salt) => {
        const old = oldSystems[kind](password, salt);
        const record = await hashing.rehash(readLegacyHash(old, kind));
        const known = [...forms, hashing.formOf(record)];
        assert.equal(await hashing.verify(record, password, known), true);
        assert.equal(await hashing.verify(record, password, []), true);
        assert.equal(await hashing.verify(record, `x${password}`, known), false);
        assert.equal(hashing.isCurrent(record), false);
        const digestEnd = old.split(":", 1)[0]?.slice(-20).replace(/=+$/, "") ?? "";
        assert.ok(!record.includes(digestEnd), "the old hash is not to be seen");
      }),
      { numRuns: 25 },
    );
  });
}

test("an Argon2id record of another system is verified to the letter, ours in its usual spelling", async () => {
  const nonce = Buffer.alloc(16, 5);
  const tag = argon2Sync("argon2id", {
    message: "\ufb01",
    nonce,
    memory: 16,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  const record = `$argon2id$v=19$m=16,t=2,p=1$${base64(nonce)}$${base64(tag)}`;
  assert.equal(await hashing.verify(record, "\ufb01", []), true);
  assert.equal(await hashing.verify(record, "fi", []), false);
  assert.equal(await hashing.verify(await hashing.hash("\ufb01"), "fi", []), true);
});

test("an old password is not normalised", async () => {
  const old = oldSystems["aspnet-identity"]("\ufb01", Buffer.alloc(16));
  const record = await hashing.rehash(readLegacyHash(old, "aspnet-identity"));
  assert.equal(await hashing.verify(record, "\ufb01", []), true);
  assert.equal(await hashing.verify(record, "fi", []), false);
});

test("without a record no password is right", async () => {
  const forms = ["bcrypt/c=4+argon2id/v=19,m=16,t=1,p=1"];
  assert.equal(await hashing.verify(null, "", forms), false);
  assert.equal(await hashing.verify(null, "secret", []), false);
});

test("a record of older work is verified and is not current", async () => {
  const record = await new PasswordHasher({
    hashesAtOnce: 1,
    work: { ...cheap, passes: 2 },
  }).hash("secret");
  assert.equal(await hashing.verify(record, "secret", [hashing.formOf(record)]), true);
  assert.equal(hashing.isCurrent(record), false);
});

test("a damaged record and damaged forms make a verification false, never a failure", async () => {
  const records = await Promise.all([
    hashing.hash("secret"),
    ...legacyKinds.map((kind) =>
      hashing.rehash(readLegacyHash(oldSystems[kind]("secret", Buffer.alloc(16, 1)), kind)),
    ),
  ]);
  const damage = fc.record({
    record: fc.constantFrom(...records),
    at: fc.nat(250),
    removed: fc.integer({ min: 0, max: 3 }),
    added: fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("$", ",", "=", "9", "+")),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ record, at, removed, added }) => {
      const damaged = record.slice(0, at) + added + record.slice(at + removed);
      // More than the memory that a test should take is still within the bounds of a record.
      fc.pre(damaged !== record && !/m=\d{3}|t=\d\d|i=\d{5}|c=\d\d/.test(damaged));
      const form = hashing.formOf(damaged);
      assert.equal(typeof hashing.isCurrent(damaged), "boolean");
      assert.equal(await hashing.verify(damaged, "secret", [form, damaged]), false);
    }),
  );
});

test("what is no record has the form unknown", () => {
  for (const text of ["", "secret", "$argon2id$", "\0".repeat(100_000)]) {
    assert.equal(hashing.formOf(text), "unknown");
    assert.equal(hashing.isCurrent(text), false);
  }
});

test("no more verifications run at once than are allowed", async () => {
  const single = new PasswordHasher({ hashesAtOnce: 1, work: cheap });
  const done: string[] = [];
  const slow = single
    .verify(null, "secret", ["bcrypt/c=8+argon2id/v=19,m=8,t=1,p=1"])
    .then(() => done.push("a verification of many rounds"));
  const quick = single.hash("secret").then(() => done.push("a hash after it"));
  await Promise.all([slow, quick]);
  assert.deepEqual(done, ["a verification of many rounds", "a hash after it"]);
});
