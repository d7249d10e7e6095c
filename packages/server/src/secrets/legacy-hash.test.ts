import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { computeLegacyDigest } from "./legacy-digest.ts";
import { type LegacyKind, readLegacyHash } from "./legacy-hash.ts";

interface Vector {
  readonly kind: LegacyKind;
  readonly password: string;
  readonly text: string;
}

/** PasswordHasherTest.cs of github.com/dotnet/aspnetcore, src/Identity/test/Identity.Test. */
const identityTexts = [
  "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==",
  "AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M",
  "AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=",
  "AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw",
  "AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==",
  "AQAAAAIAACcQAAAAEAABAgMEBQYHCAkKCwwNDg9B0Oxwty+PGIDSp95gcCfzeDvA4sGapUIUov8usXfD6A==",
  "AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==",
  "AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
];

const longPassword =
  "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored";

/** TestBCrypt.java of jBCrypt, and wrapper.c of Openwall's crypt_blowfish. */
const bcryptTexts: readonly [password: string, text: string][] = [
  ["", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."],
  ["a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"],
  ["abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"],
  ["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  [longPassword, "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"],
  [longPassword.slice(0, 72), "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"],
  // The last character of a salt has 4 bits that do not count: some systems left them as they came.
  [longPassword, "$2a$05$abcdefghijklmnopqrstuv5s2v8.iXieOjg/.AySBTTZIIVFJeBui"],
];

const repeatedSalt = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const longSalt =
  "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk8=";

/**
 * The first two: SqlMembershipEncryptionTests.cs of SqlMembershipAdapter. Others: Python's hashlib
 * and hmac, by the rule of EncryptPassword in Microsoft's guide for migrating from SQL Membership.
 */
const membershipTexts: readonly [kind: LegacyKind, password: string, text: string][] = [
  [
    "aspnet-membership-sha1",
    "3GrM4v[eYgK-UT",
    "Vz9mJxudAR4ZVJTNI4W+oH7m3X0=:wZdnRVXWcvXZKY6HJmJqUg==",
  ],
  [
    "aspnet-membership-sha256",
    "3GrM4v[eYgK-UT",
    "Kqx+vXAfjf0esjMOR/Ls6rPijWFh3+ObJfA79YH30V8=:wZdnRVXWcvXZKY6HJmJqUg==",
  ],
  ["aspnet-membership-sha1", "Grüße", `UIzZyCy/RbvgShvci4RjmkEgJI0=:${repeatedSalt}`],
  [
    "aspnet-membership-hmacsha256",
    "3GrM4v[eYgK-UT",
    "MAGeDSl8buhfSBPHliCQZBhnhrYaNECioDonpeBJqJ4=:wZdnRVXWcvXZKY6HJmJqUg==",
  ],
  [
    "aspnet-membership-hmacsha256",
    "Grüße",
    `GA78j/rIqcFBGMo/YgJQA8UgZx0mjfWWSuNo8KYxKWY=:${repeatedSalt}`,
  ],
  [
    "aspnet-membership-hmacsha256",
    "Grüße",
    `8CvqqiY+AkXATE3weLrF+0sCAqsYQwDC/k4RIp1UWDU=:${longSalt}`,
  ],
];

/** PBKDF2 with SHA-1, by Python's hashlib: the salts of RFC 6070 are too short. */
const pbkdf2Texts: readonly [password: string, text: string][] = [
  ["3GrM4v[eYgK-UT", "QZhaax2PX3OxtOOQTFFr3LOAFNs=:AAECAwQFBgcICQoLDA0ODw=="],
  ["3GrM4v[eYgK-UT", "QZhaax2PX3OxtOOQTFFr3LOAFNtP0lzpPilyLOy70yA=:AAECAwQFBgcICQoLDA0ODw==::"],
  ["Grüße", "BWWiuMZKu2Gd0+zU07f0iFS1DojDJmKaFCqzG1dTQec=:AAECAwQFBgcICQoLDA0ODw==:5000:SHA-256"],
  [
    "Grüße",
    "UMedcc/8NdUkO0BiNNheNzstyp1IOLmwGcVdmcovtVvOmKrJTfk+FQzJa9mZdtFiJR4UbRFGuWhAk95ciNhn5w==:AAECAwQFBgcICQoLDA0ODw==:5000:HMACSHA512",
  ],
  ["my password", identityTexts[0] ?? ""],
];

const vectors: readonly Vector[] = [
  ...identityTexts.map((text) => ({
    kind: "aspnet-identity" as const,
    password: "my password",
    text,
  })),
  ...bcryptTexts.map(([password, text]) => ({ kind: "bcrypt" as const, password, text })),
  ...pbkdf2Texts.map(([password, text]) => ({
    kind: "aspnet-membership-pbkdf2" as const,
    password,
    text,
  })),
  ...membershipTexts.map(([kind, password, text]) => ({ kind, password, text })),
];

for (const { kind, password, text } of vectors) {
  test(`${kind}: the digest of ${text.slice(0, 40)}… is that of its password`, async () => {
    const { step, salt, digest } = readLegacyHash(text, kind);
    assert.deepEqual(await computeLegacyDigest(step, password, salt), digest);
    assert.notDeepEqual(await computeLegacyDigest(step, `x${password}`, salt), digest);
  });
}

describe("readLegacyHash() refuses", () => {
  const identity3 = (head: readonly number[], bytes: number) => {
    const numbers = Buffer.alloc(12);
    for (const [index, number] of head.entries()) numbers.writeUInt32BE(number, index * 4);
    return Buffer.concat([Buffer.of(1), numbers, Buffer.alloc(bytes)]).toString("base64");
  };
  const sha1 = Buffer.alloc(20).toString("base64");
  const table: readonly [kind: LegacyKind, text: string, message: RegExp][] = [
    ["aspnet-identity", "", /^The hash is not base64: expected .*base64$/],
    ["aspnet-identity", "secret, not a hash", /^The hash is not base64/],
    ["aspnet-identity", "AgAA", /^The first byte names no known version/],
    ["aspnet-identity", "AAAA", /has 49 bytes, this one 3$/],
    ["aspnet-identity", "AQAA", /ends within its first 13 bytes/],
    ["aspnet-identity", identity3([3, 1_000, 16], 48), /expected sha1, sha256, sha512/],
    ["aspnet-identity", identity3([1, 0, 16], 48), /expected 1 to 1000000 iterations/],
    ["aspnet-identity", identity3([1, 1_000_001, 16], 48), /expected 1 to 1000000 iterations/],
    ["aspnet-identity", identity3([1, 1_000, 7], 48), /8 to 64 bytes of salt/],
    ["aspnet-identity", identity3([1, 1_000, 65], 100), /8 to 64 bytes of salt/],
    ["aspnet-identity", identity3([1, 1_000, 4_294_967_295], 48), /8 to 64 bytes of salt/],
    ["aspnet-identity", identity3([1, 1_000, 16], 31), /16 to 64 of subkey/],
    ["aspnet-identity", identity3([1, 1_000, 16], 81), /16 to 64 of subkey/],
    ["aspnet-membership-pbkdf2", `${sha1}:`, /^The salt is not base64: expected 16 to 64/],
    ["aspnet-membership-pbkdf2", `secret:${sha1}`, /^The hash is not base64/],
    ["aspnet-membership-pbkdf2", `${sha1}:${sha1}:0`, /^The hash is out of bounds/],
    ["aspnet-membership-pbkdf2", `${sha1}:${sha1}:many`, /^The hash is out of bounds/],
    ["aspnet-membership-pbkdf2", `${sha1}:${sha1}:1:md5`, /^The hash function is unknown/],
    ["aspnet-membership-pbkdf2", `${sha1}:${sha1}:1:sha1:1`, /^The hash is out of bounds/],
    ["aspnet-membership-sha1", sha1, /^The hash needs exactly one colon: expected 20 bytes/],
    ["aspnet-membership-sha1", `${sha1}:${sha1}:`, /^The hash needs exactly one colon/],
    ["aspnet-membership-sha1", `secret:${sha1}`, /^The part before the colon is not base64/],
    ["aspnet-membership-sha1", `${sha1}:secret`, /^The part after the colon is not base64/],
    ["aspnet-membership-sha256", `${sha1}:${sha1}`, /^The hash has 20 bytes: expected 32 bytes/],
    ["aspnet-membership-hmacsha256", `${sha1}:${sha1}`, /^The hash has 20 bytes: expected 32/],
    ["aspnet-membership-sha1", `${sha1}:AAAA`, /^The salt has 3 bytes: expected .* 8 to 96 bytes/],
    ["bcrypt", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", /\$2a\$, \$2b\$/],
    ["bcrypt", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", /60 characters/],
    ["bcrypt", "$2a$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", /expected 4 to 14$/],
  ];
  for (const [kind, text, message] of table) {
    test(`${kind}: ${text === "" ? "nothing" : text.slice(0, 40)}`, () => {
      assert.throws(
        () => readLegacyHash(text, kind),
        (error: Error) => {
          assert.equal(error.name, "LegacyHashError");
          assert.match(error.message, message);
          assert.ok(!error.message.includes("secret"));
          return true;
        },
      );
    });
  }
});
