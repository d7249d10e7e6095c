import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatHashForm, formatHashRecord, parseHashForm, parseHashRecord } from "./hash-record.ts";

const salt = "AAAAAAAAAAAAAAAAAAAAAA";
const tag = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const own = `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}`;

const table = [
  { record: own, form: "argon2id/v=19,m=19456,t=2,p=1" },
  {
    record: `$wrapped$pbkdf2$h=sha512,i=100000,l=32$${salt}${own}`,
    form: "pbkdf2/h=sha512,i=100000,l=32+argon2id/v=19,m=19456,t=2,p=1",
  },
  {
    record: `$wrapped$membership$h=hmacsha256$${salt}${own}`,
    form: "membership/h=hmacsha256+argon2id/v=19,m=19456,t=2,p=1",
  },
  {
    record: `$wrapped$bcrypt$c=10$${salt}${own}`,
    form: "bcrypt/c=10+argon2id/v=19,m=19456,t=2,p=1",
  },
];

for (const { record, form } of table) {
  test(`a record of the form ${form} is read and written`, () => {
    const parsed = parseHashRecord(record);
    assert.ok(parsed !== null);
    assert.equal(formatHashRecord(parsed), record);
    assert.equal(formatHashForm(parsed), form);
  });
  test(`the form ${form} is read and written`, () => {
    const parsed = parseHashForm(form);
    assert.equal(parsed === null ? null : formatHashForm(parsed), form);
  });
}

describe("parseHashRecord() refuses", () => {
  const wrap = (legacy: string, oldSalt = salt) => `$wrapped$${legacy}$${oldSalt}${own}`;
  const refused: Readonly<Record<string, string>> = {
    nothing: "",
    "another algorithm": own.replace("argon2id", "argon2i"),
    "another version": own.replace("v=19", "v=16"),
    "a salt of 7 bytes": own.replace(salt, "AAAAAAAAAA"),
    "a salt of 65 bytes": own.replace(salt, "A".repeat(87)),
    "a tag of 15 bytes": own.replace(tag, "A".repeat(20)),
    "a tag of 65 bytes": own.replace(tag, "A".repeat(87)),
    "base64 with bits that do not count": own.replace(tag, `${tag.slice(0, -1)}B`),
    "base64 with padding": `${own}=`,
    "a line end behind it": `${own}\n`,
    "an old scheme that is unknown": wrap("md5$h=md5"),
    "no rounds of PBKDF2": wrap("pbkdf2$h=sha1,i=0,l=32"),
    "too many rounds of PBKDF2": wrap("pbkdf2$h=sha1,i=1000001,l=32"),
    "a subkey of 15 bytes": wrap("pbkdf2$h=sha1,i=1000,l=15"),
    "a subkey of 65 bytes": wrap("pbkdf2$h=sha1,i=1000,l=65"),
    "a number with a zero in front": wrap("pbkdf2$h=sha1,i=01000,l=32"),
    "a salt of PBKDF2 of 7 bytes": wrap("pbkdf2$h=sha1,i=1000,l=32", "AAAAAAAAAA"),
    "a cost of bcrypt of 3": wrap("bcrypt$c=3"),
    "a cost of bcrypt of 15": wrap("bcrypt$c=15"),
    "a salt of bcrypt of 15 bytes": wrap("bcrypt$c=10", "A".repeat(20)),
    "a record that is wrapped twice": `$wrapped$bcrypt$c=10$${salt}${wrap("bcrypt$c=10")}`,
    "a wrap around nothing": `$wrapped$bcrypt$c=10$${salt}`,
    "a very long text": own + "A".repeat(1_000_000),
  };
  for (const [what, text] of Object.entries(refused)) {
    test(what, () => {
      assert.equal(parseHashRecord(text), null);
    });
  }
});

describe("parseHashForm() refuses", () => {
  const refused = [
    "",
    "unknown",
    "argon2id/v=19,m=4194304,t=2,p=1",
    "bcrypt/c=15+argon2id/v=19,m=19456,t=2,p=1",
    "bcrypt/c=10",
    "+argon2id/v=19,m=19456,t=2,p=1",
    "bcrypt/c=10+bcrypt/c=10+argon2id/v=19,m=19456,t=2,p=1",
  ];
  for (const text of refused) {
    test(`"${text}"`, () => {
      assert.equal(parseHashForm(text), null);
    });
  }
});
