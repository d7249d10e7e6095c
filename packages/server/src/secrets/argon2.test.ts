import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { computeArgon2, formatWork, parseWork } from "./argon2.ts";
import { parseHashRecord } from "./hash-record.ts";

test("computeArgon2() gives the tags of the reference implementation", async () => {
  // phc-winner-argon2's src/test.c: Argon2id, password "password", salt "somesalt".
  const vectors = [
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
  ];
  for (const vector of vectors) {
    const record = parseHashRecord(vector);
    assert.ok(record !== null);
    const { salt, work, tag } = record;
    const message = Buffer.from("password");
    assert.deepEqual(await computeArgon2({ message, salt, work, tagBytes: tag.length }), tag);
  }
});

describe("parseWork()", () => {
  for (const text of ["m=19456,t=2,p=1", "m=8,t=1,p=1", "m=262144,t=10,p=8"]) {
    test(`reads ${text}`, () => {
      const work = parseWork(text);
      assert.equal(work === null ? null : formatWork(work), text);
    });
  }
  const refused = [
    ["more memory than the bound", "m=262145,t=2,p=1"],
    ["more passes than the bound", "m=19456,t=11,p=1"],
    ["more lanes than the bound", "m=19456,t=2,p=9"],
    ["less memory than its lanes need", "m=15,t=1,p=2"],
    ["a number with a zero in front", "m=019456,t=2,p=1"],
    ["no passes", "m=19456,t=0,p=1"],
    ["another order", "t=2,m=19456,p=1"],
    ["something behind it", "m=19456,t=2,p=1,"],
  ] as const;
  for (const [what, text] of refused) {
    test(`refuses ${what}`, () => {
      assert.equal(parseWork(text), null);
    });
  }
});
