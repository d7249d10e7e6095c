import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { TableColumns } from "./columns.ts";
import { Table, type TableFormat } from "./csv-table.ts";
import { InputFile } from "./input-file.ts";
import { RowFileError } from "./row-file-error.ts";

const columns: TableColumns<"id" | "name"> = {
  names: { id: ["Record_Id", "id"], name: ["UserName", "name"] },
  required: ["id", "name"],
  others: "ignore",
};

function open(content: string | Uint8Array, format?: TableFormat, kind = columns) {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content);
  }
  return new Table(InputFile.fromStream("users", bytes()), kind, format);
}

const ada = [{ line: 2, cells: { id: "7", name: "Ada" } }];
const readable: readonly [what: string, content: string | Uint8Array, rows?: readonly unknown[]][] =
  [
    ["commas", "id,name\n7,Ada\n"],
    ["semicolons, where a quoted name has a comma", 'id;name;"a,b,c"\n7;Ada;"x,y"\n'],
    ["tabs", "id\tname\n7\tAda\n"],
    ["bars", "id|name\n7|Ada"],
    ["UTF-16, little-endian", Buffer.from("\ufeffid,name\n7,Ada\n", "utf16le")],
    ["UTF-16, big-endian", Buffer.from("\ufeffid,name\n7,Ada\n", "utf16le").swap16()],
    ["gzip with a byte order mark", gzipSync("\ufeffid,name\n7,Ada\n")],
    ["names in another spelling and order", "User Name,RECORD-ID\nAda,7\n"],
    ["of two columns for one field the better name", "id,name,record_id\n1,Ada,7\n"],
    [
      "rows after cells with line ends, by the line where they begin",
      'id,name\r\n7,"A\r\nda"\r\n\r\n8,Bob\r\n',
      [
        { line: 2, cells: { id: "7", name: "A\nda" } },
        { line: 5, cells: { id: "8", name: "Bob" } },
      ],
    ],
    [
      "rows of another width as bad ones",
      "id,name\n7\n8,Bob\n",
      [
        { line: 2, problem: "Expected 2 columns as in the header, found 1" },
        { line: 3, cells: { id: "8", name: "Bob" } },
      ],
    ],
    [
      "JSON lines with all digits, lists and bad lines",
      '{"recordId": 9223372036854775807, "name": ["a", "b"]}\n\n{"id": 1\n{"id": null, "name": {}}\n',
      [
        { line: 1, cells: { id: "9223372036854775807", name: ["a", "b"] } },
        { line: 3, problem: "The row is not valid JSON. It goes wrong at character 9" },
        { line: 4, cells: { name: null } },
      ],
    ],
  ];
for (const [what, content, rows = ada] of readable) {
  test(`Table reads ${what}`, async () => {
    assert.deepEqual(await Array.fromAsync(open(content).rows()), rows);
  });
}

const wrong: readonly [what: string, content: string | Uint8Array, message: RegExp][] = [
  ["nothing", "", /^users is empty\.$/],
  ["blank lines only", "\ufeff \n\n", /^users is empty\.$/],
  ["a JSON array", '[{"id": 1}]', /is a JSON array: write one object per line/],
  ["bytes", Buffer.of(1, 0, 2), /is binary/],
  [
    "a missing column",
    "id,mail\n",
    /line 1: the column UserName is missing\. The header has id, mail\./,
  ],
  ["a repeated column", "id,name,ID\n", /line 1: the column ID occurs twice/],
  ["an open quotation mark", 'id,name\n1,"Ada\n', /unclosed quotation mark/],
  [
    "an open quotation mark, by the line where the row begins",
    `id,name\n1,Ada\n2,"Bob\n${"3,Eve\n".repeat(20_000)}`,
    /line 3: has an unclosed quotation mark, or a row of more than 65536 bytes: close it/,
  ],
  [
    "a quotation mark inside a cell",
    'id,name\n1,A"da"\n',
    /line 2: has a quotation mark inside an unquoted cell/,
  ],
  [
    "Latin-1",
    Buffer.from("id,name\n1,J\xe4ger\n", "latin1"),
    /line 2: is not UTF-8\. See byte 4 \(0xE4\)/,
  ],
];
for (const [what, content, message] of wrong) {
  test(`Table refuses ${what}`, async () => {
    await assert.rejects(Array.fromAsync(open(content).rows()), (error) => {
      assert.ok(error instanceof RowFileError);
      assert.match(error.sentence, message);
      return true;
    });
  });
}

test("Table lists the columns that it ignores, or refuses them and names the nearest one", async () => {
  const text = "id,name,usrname\n1,Ada,x\n";
  const table = open(text);
  await Array.fromAsync(table.rows());
  assert.deepEqual(table.ignoredColumns, ["usrname"]);
  const strict = open(text, undefined, { ...columns, others: "refuse" });
  await assert.rejects(Array.fromAsync(strict.rows()), {
    message: 'the column "usrname" is unknown (UserName?). The columns are Record_Id, UserName',
  });
});

test("Table skips a line of JSON that is too long", async () => {
  const rows = await Array.fromAsync(open(`{"id":"${"x".repeat(70_000)}"}\n{"id":"1"}\n`).rows());
  assert.deepEqual(rows, [
    { line: 1, problem: "The row is longer than 65536 characters" },
    { line: 2, cells: { id: "1" } },
  ]);
});
