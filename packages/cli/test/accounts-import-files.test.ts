import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openCliFixture, openFixture } from "./cli-fixture.ts";

const fixture = openCliFixture();
after(() => fixture.close());

const files: readonly [
  what: string,
  content: string | Uint8Array,
  code: number,
  message: RegExp,
][] = [
  ["a zip archive", Buffer.from("PK\u0003\u0004…"), 69, /is a damaged or truncated zip/],
  ["gzip that ends early", gzipSync("id,name,hash\n").subarray(0, 30), 69, /is a truncated gzip/],
  ["JSON that is too deep", `{"a":${"[".repeat(99)}`, 1, /^Line 1: The row is nested more than 8/m],
  ["semicolons", "id;name;hash\n1;ada;x\n", 1, /^Line 2, record 1, ada: The kind of the hash/m],
];
for (const [what, content, wanted, message] of files) {
  test(`wfh accounts import names what is wrong with a file of ${what}`, async () => {
    const file = join(fixture.folder, "file");
    writeFileSync(file, content);
    const { code, err } = await fixture.run(["accounts", "import", file]);
    assert.match(err, message);
    assert.equal(code, wanted);
  });
}

const words: readonly [words: readonly string[], message: RegExp][] = [
  [["-", "--hash", "md5"], /^--hash md5: expected aspnet-identity, .*, bcrypt or argon2id$/m],
  [["-", "--format", "xml"], /^--format xml: expected csv or ndjson$/m],
  [[], /missing required argument 'file'/],
];
for (const [given, message] of words) {
  test(`wfh accounts import ${given.join(" ")} ends with 2`, async () => {
    const { code, err } = await fixture.run(["accounts", "import", ...given]);
    assert.match(err, message);
    assert.equal(code, 2);
  });
}

test("wfh accounts import brings nothing in when rejected rows cannot be noted", async (t) => {
  const empty = openFixture(t);
  const rejects = ["--rejects", join(empty.folder, "none", "rejects")];
  const { code, err } = await empty.run(["accounts", "import", "-", ...rejects]);
  assert.match(err, /^Folder not found: \S+none\.$/m);
  assert.equal(code, 69);
  assert.equal((await empty.run(["accounts", "list"])).code, 69);
});

const unreadable: readonly [file: string, message: RegExp][] = [
  ["none.csv", /^File not found: \S+none\.csv\.$/m],
  ["none/users.csv", /^Folder not found: \S+none\.$/m],
  ["", /^\S+ is a folder: name a file\.$/m],
];
for (const [file, message] of unreadable) {
  test(`wfh accounts import makes no database where it says: ${message.source}`, async (t) => {
    const empty = openFixture(t);
    const { code, err } = await empty.run(["accounts", "import", join(empty.folder, file)]);
    assert.match(err, message);
    assert.equal(code, 69);
    assert.equal((await empty.run(["accounts", "list"])).code, 69);
  });
}

const hash = Buffer.alloc(49).toString("base64");
const oddities: readonly [what: string, content: string, lines: readonly number[]][] = [
  [
    "ends of lines of three systems",
    `id,name,hash\r\n1,a,${hash}\n2,,x\r3,c,${hash}\n4,,x\r\n`,
    [3, 5],
  ],
  [
    "rows of commas and blanks",
    `id,name,hash\n1,a,${hash}\n,,\n , ,\n\n2,,x\n3,c,${hash}\n,,\n`,
    [6],
  ],
  [
    "columns of JSON that are not read",
    [
      `{"id": 1, "name": "a", "hash": "${hash}", "roles": [{"id": 7}], "__proto__": {"name": "x"}}`,
      `{"id": 2, "name": {"of": "b"}, "hash": "${hash}"}`,
      `{"id": 3, "name": "c", "hash": "${hash}", "tags": [1, "x"], "more": {}}`,
    ].join("\n"),
    [2],
  ],
];
for (const [what, content, lines] of oddities) {
  test(`wfh accounts import reads ${what}`, async (t) => {
    const empty = openFixture(t);
    const words = ["accounts", "import", "-"];
    const { err } = await empty.run(words, { piped: content });
    const rejected = [...err.matchAll(/^Line (\d+)/gm)].map(([, line]) => Number(line));
    assert.deepEqual(rejected, lines, err);
    const { out } = await empty.run(["accounts", "list", "--json"]);
    assert.deepEqual(out.match(/"recordId":\d+/g), ['"recordId":1', '"recordId":3']);
  });
}
