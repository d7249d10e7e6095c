import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openOffice } from "./run-program.ts";

const office = openOffice();
after(() => office.close());

const heading = "id,name,hash\n";
const files: readonly [
  what: string,
  content: string | Uint8Array,
  code: number,
  message: RegExp,
][] = [
  ["nothing", "", 3, /is empty\.$/m],
  ["blanks only", " \n\n", 3, /is empty\.$/m],
  ["no column for the hash", "id,name\n1,ada\n", 3, /no column PasswordHash\. It has: id, name\./],
  ["semicolons", "id;name;hash\n1;ada;x\n", 3, /separated by ;: export it with commas/],
  ["tabs", "id\tname\thash\n", 3, /separated by a tab/],
  ["a column twice", "id,name,hash,name\n", 3, /the heading has the column name twice/],
  [
    "a row that is too short",
    `${heading}1,ada\n`,
    1,
    /^Line 2: The row has 2 columns, the heading 3/m,
  ],
  ["a quotation mark inside", `${heading}1,a"b,x\n`, 3, /near line 2: a quotation mark stands/],
  ["Latin-1", Buffer.from(`${heading}1,ada,x\n2,J\xe4ger,x\n`, "latin1"), 3, /not UTF-8 in line 3/],
  ["UTF-16", Buffer.from(`\ufeff${heading}`, "utf16le"), 3, /is UTF-16: save it as UTF-8/],
  ["a zip archive", Buffer.from("PK\u0003\u0004…"), 3, /is a zip archive: unpack it/],
  [
    "gzip that ends early",
    gzipSync(heading.repeat(99)).subarray(0, 30),
    3,
    /damaged gzip, or ends/,
  ],
  ["a JSON array", '[{"id": 1}]', 3, /is a JSON array: write one object on each line/],
  ["JSON that is too deep", `{"a":${"[".repeat(99)}`, 1, /^Line 1: The row is nested more than 8/m],
  ["a row that is too long", `{"a":"${"x".repeat(70_000)}"}`, 1, /longer than 65536 characters/],
];
for (const [what, content, wanted, message] of files) {
  test(`wfh accounts import names what is wrong with a file of ${what}`, async () => {
    const file = join(office.folder, "file");
    writeFileSync(file, content);
    const { code, err } = await office.run(["accounts", "import", file, "--wrap", "later"]);
    assert.match(err, message);
    assert.equal(code, wanted);
  });
}

const words: readonly [words: readonly string[], message: RegExp][] = [
  [["-", "--hash", "md5"], /^--hash md5: allowed is aspnet-identity, .*, bcrypt, argon2id$/m],
  [["-", "--format", "xml"], /^--format xml: allowed is csv or ndjson$/m],
  [["-", "--wrap", "never"], /^--wrap never: allowed is now or later$/m],
  [[], /missing required argument 'file'/],
];
for (const [given, message] of words) {
  test(`wfh accounts import ${given.join(" ")} ends with 2`, async () => {
    const { code, err } = await office.run(["accounts", "import", ...given]);
    assert.match(err, message);
    assert.equal(code, 2);
  });
}

test("wfh accounts import brings nothing in when rejected rows cannot be noted", async (t) => {
  const empty = openOffice();
  t.after(() => empty.close());
  const rejects = ["--rejects", join(empty.folder, "none", "rejects")];
  const { code, err } = await empty.run(["accounts", "import", "-", ...rejects]);
  assert.match(err, /rejects cannot be written: ENOENT/);
  assert.equal(code, 3);
  assert.equal((await empty.run(["accounts", "list"])).code, 3);
});

test("wfh accounts import makes no database for a file that is not there", async (t) => {
  const empty = openOffice();
  t.after(() => empty.close());
  const { code, err } = await empty.run(["accounts", "import", join(empty.folder, "none.csv")]);
  assert.match(err, /none\.csv cannot be read: ENOENT/);
  assert.equal(code, 3);
  assert.equal((await empty.run(["accounts", "list"])).code, 3);
});
