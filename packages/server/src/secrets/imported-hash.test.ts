import assert from "node:assert/strict";
import { test } from "node:test";
import { createFingerprints, readImportedHash } from "./imported-hash.ts";
import type { LegacyKind } from "./legacy-hash.ts";

const keys = [
  { id: "aaaaaaaa", bytes: Buffer.alloc(32, 1) },
  { id: "bbbbbbbb", bytes: Buffer.alloc(32, 2) },
] as const;
const fingerprintsOf = createFingerprints(keys);
const salts = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const;
const digests = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)] as const;
const base64 = (...parts: readonly Buffer[]) => Buffer.concat(parts).toString("base64");

type Write = (salt: Buffer, digest: Buffer) => string;

const kinds: readonly [kind: LegacyKind | "argon2id", write: Write, hasLastingSalt: boolean][] = [
  ["aspnet-identity", (salt, digest) => base64(Buffer.of(0), salt, digest), false],
  ["aspnet-membership-pbkdf2", (salt, digest) => base64(Buffer.of(0), salt, digest), false],
  [
    "argon2id",
    (salt, digest) =>
      `$argon2id$v=19$m=16,t=2,p=1$${base64(salt)}$${base64(digest)}`
        .replaceAll("=$", "$")
        .replaceAll("=$", "$")
        .replace(/=+$/, ""),
    false,
  ],
  ["aspnet-membership-sha256", (salt, digest) => `${base64(digest)}:${base64(salt)}`, true],
  ["aspnet-membership-hmacsha256", (salt, digest) => `${base64(digest)}:${base64(salt)}`, true],
  ["aspnet-membership-pbkdf2", (salt, digest) => `${base64(digest)}:${base64(salt)}:9`, true],
];
for (const [kind, write, hasLastingSalt] of kinds) {
  const what = hasLastingSalt ? "salt and digest, since the salt stays" : "the salt alone";
  test(`${kind}: a hash is known again by ${what}`, () => {
    const printOf = (salt: Buffer, digest: Buffer) =>
      readImportedHash(write(salt, digest), kind, fingerprintsOf).fingerprints[0];
    const first = printOf(salts[0], digests[0]);
    assert.equal(printOf(salts[0], digests[0]), first);
    assert.notEqual(printOf(salts[1], digests[0]), first);
    assert.equal(printOf(salts[0], digests[1]) === first, !hasLastingSalt);
  });
}

test("fingerprints tell the same from another, under each key, and nothing else", () => {
  const [current, older] = fingerprintsOf("one");
  assert.deepEqual(fingerprintsOf("one"), [current, older]);
  assert.equal(new Set([current, older, ...fingerprintsOf("two")]).size, 4);
  assert.deepEqual(createFingerprints([keys[1]])("one"), [older]);
});

test("Argon2id of another version, another kind or out of bounds is not taken over", () => {
  const good = "$argon2id$v=19$m=16,t=2,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg";
  const form = "argon2id/v=19,m=16,t=2,p=1";
  const { hash } = readImportedHash(good, "argon2id", fingerprintsOf);
  assert.deepEqual(hash, { record: good, form });
  const dearest = good.replace("m=16,t=2", "m=65536,t=4");
  readImportedHash(dearest, "argon2id", fingerprintsOf);
  const bad: readonly [text: string, message: RegExp][] = [
    [good.replace("argon2id", "argon2i"), /^This is another kind of Argon2: expected/],
    [good.replace("argon2id", "argon2d"), /^This is another kind of Argon2: expected/],
    [good.replace("v=19", "v=16"), /^The hash is not one of Argon2id, or out of bounds/],
    [good.replace("m=16", "m=9999999"), /or out of bounds/],
    [good.replace("m=16,t=2", "m=131073,t=2"), /would make every log-in take as long as its own/],
    [`$wrapped$membership$h=sha1$MDEyMzQ1Njc${good}`, /or out of bounds/],
  ];
  for (const [text, message] of bad) {
    assert.throws(() => readImportedHash(text, "argon2id", fingerprintsOf), {
      name: "LegacyHashError",
      message,
    });
  }
});
