import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import fc from "fast-check";
import { zipOf } from "../../../test/zip-file.ts";
import { InputFile } from "../../rows/input-file.ts";
import { RowFileError } from "../../rows/row-file-error.ts";
import { readPostalRows } from "./postal-rows.ts";

const folder = temporaryFolder();

const berlin = "DE\t10115\tBerlin\tBerlin\tBE\t\t00\tBerlin, Stadt\t11000\t52.5323\t13.3846\t6";
const quoted = 'DE\t10117\t"Berlin"\tBerlin\tBE\t\t00\tBerlin, Stadt\t11000\t52.5\t13.4\t6';

function toSource(...pieces: readonly (string | Uint8Array)[]): InputFile {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  return InputFile.fromStream("DE.txt", bytes());
}

function toFile(name: string, bytes: Uint8Array): InputFile {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return InputFile.open(path, name);
}

/** Codes and places of all rows; a place of `?` cannot be used. */
async function readAll(source: InputFile) {
  const places: string[] = [];
  const read = await readPostalRows(
    source,
    ({ code, place }) => {
      if (place === "?") return "no place";
      places.push(`${code} ${place}`);
      return undefined;
    },
    () => {},
  );
  return { ...read, places };
}

const asPacked: readonly [string, (text: string) => InputFile][] = [
  ["plain text", (text) => toSource(text)],
  [
    "plain text byte by byte",
    (text) => toSource(...Array.from(Buffer.from(text), (b) => Buffer.of(b))),
  ],
  ["a gzip", (text) => toSource(gzipSync(text))],
  [
    "a gzip of two parts",
    (text) => toSource(gzipSync(text.slice(0, 90)), gzipSync(text.slice(90))),
  ],
  ["a zip as a stream", (text) => toSource(zipOf({ name: "DE.txt", text }))],
  ["UTF-16", (text) => toSource(Buffer.from(`\ufeff${text}`, "utf16le"))],
  ["a file of any name", (text) => toFile("postal.gif", gzipSync(text))],
  [
    "a zip beside its readme",
    (text) =>
      toFile(
        "DE.zip",
        zipOf(
          { name: "readme.txt", text: "Readme for GeoNames Postal Code files" },
          { name: "DE.txt", text },
        ),
      ),
  ],
];

for (const [name, pack] of asPacked) {
  test(`readRows() reads ${name}`, async () => {
    const { places, rows } = await readAll(pack(`${berlin}\n${quoted}\n`));
    assert.deepEqual(places, ["10115 Berlin", '10117 "Berlin"']);
    assert.equal(rows, 2);
  });
}

const asWritten: readonly [string, string][] = [
  ["without a line end at its end", berlin],
  ["with CR LF", `${berlin}\r\n`],
  ["with a byte order mark", `\ufeff${berlin}\n`],
  ["with blank lines", `${berlin}\n\n\r\n`],
  ["without the accuracy", `${berlin.slice(0, -2)}\n`],
  ["with blanks around a column", `${berlin.replace("\tBerlin\t", "\t Berlin  \t")}\n`],
];

for (const [name, text] of asWritten) {
  test(`readRows() reads a file ${name}`, async () => {
    assert.deepEqual((await readAll(toSource(text))).places, ["10115 Berlin"]);
  });
}

const dump =
  "2950159\tBerlin\tBerlin\tBER\t52.52437\t13.41053\tP\tPPLC\tDE\t\t16\t00\t11000\t11000000\t3426354\t74\t43\tEurope/Berlin\t2024-01-01\n";
const gzipped = gzipSync(`${berlin}\n`.repeat(1000));
const zipped = zipOf({ name: "DE.txt", text: `${berlin}\n` });

const wrong: readonly [string, () => InputFile, RegExp][] = [
  ["an empty file", () => toSource(""), /^is empty$/],
  ["an empty gzip", () => toSource(gzipSync("")), /^has no lines$/],
  ["only blank lines", () => toSource("\n\n"), /line 1, which begins with ""/],
  ["the gazetteer dump", () => toSource(dump), /gazetteer dump.*export\/zip/],
  [
    "semicolons",
    () => toSource("DE;10115;Berlin;Berlin;BE\n"),
    /semicolons.*wfh places import table/,
  ],
  ["commas", () => toSource("DE,10115,Berlin\n"), /commas/],
  ["a web page", () => toSource("<!DOCTYPE html><html>\n"), /web page/],
  ["three columns", () => toSource("a\tb\tc\n"), /^has 3 columns in line 1, not 12/],
  ["bytes", () => toSource(Buffer.from("\x7fELF\x00\x01\n", "latin1")), /binary/],
  ["a text without lines", () => toSource("x".repeat(5000)), /no tab in line 1/],
  ["xz", () => toSource(Buffer.from("fd377a585a00", "hex")), /compressed with xz: unpack it/],
  ["a long line", () => toSource(`${berlin}\n${"x".repeat(5000)}`), /more than 4096 bytes/],
  ["a cut off gzip", () => toSource(gzipped.subarray(0, -20)), /truncated gzip: download/],
  ["a gzip of a few bytes", () => toSource(gzipped.subarray(0, 5)), /truncated gzip/],
  ["a damaged gzip", () => toSource(gzipped.fill(0xff, 20, 30)), /damaged gzip/],
  ["a row cut off", () => toSource(`${berlin}\nDE\t10117\tBer`), /middle of a row/],
  ["a cut off zip", () => toFile("cut.zip", zipped.subarray(0, -10)), /truncated zip/],
  [
    "a zip with a wrong checksum",
    () => toFile("crc.zip", zipOf({ name: "DE.txt", text: `${berlin}\n`, checksum: 1 })),
    /checksum \(CRC-32\) is wrong/,
  ],
  [
    "a zip without a table",
    () => toFile("none.zip", zipOf({ name: "readme.txt", text: "x" })),
    /contains no table/,
  ],
  [
    "a zip with two tables",
    () =>
      toFile("two.zip", zipOf({ name: "AT.txt", text: berlin }, { name: "DE.txt", text: berlin })),
    /several tables \(AT.txt, DE.txt\)/,
  ],
  ["an empty zip", () => toFile("empty.zip", zipOf()), /contains no table/],
];

for (const [name, open, message] of wrong) {
  test(`readRows() refuses ${name}`, async () => {
    await assert.rejects(readAll(open()), (error) => {
      assert.ok(error instanceof RowFileError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

test("readRows() names line and byte of Latin-1", async () => {
  const latin = Buffer.from(berlin.replace("\tBerlin\t", "\tMünchen\t"), "latin1");
  const source = toSource(`${berlin}\n`, latin, `\n${berlin}\n`);
  await assert.rejects(readAll(source), { line: 2, message: /byte 11 \(0xFC\).*iconv -f latin1/ });
});

test("readRows() names the line in which a character is cut off", async () => {
  const text = Buffer.from(`${berlin}\nDE\t80331\tMü`);
  await assert.rejects(readAll(toSource(text.subarray(0, -1))), {
    line: 2,
    message: /middle of a character/,
  });
});

test("InputFile.open() refuses what is no file", () => {
  assert.throws(() => InputFile.open(join(folder, "none.zip.txt")), { code: "ENOENT" });
  assert.throws(() => InputFile.open(folder), { message: "is a folder: name a file" });
});

test("a bad line in a hundred is reported with its number, a second one is too many", async () => {
  const bad = berlin.replace("\tBerlin\t", "\t?\t");
  const lines = [...Array.from({ length: 99 }, () => berlin), bad];
  const { rows, badLines } = await readAll(toSource(lines.join("\n")));
  assert.deepEqual([rows, badLines.count], [99, 1]);
  assert.deepEqual(badLines.first, [
    { source: "DE.txt", line: 100, reason: "no place", text: bad.slice(0, 80) },
  ]);
  const more = readAll(toSource([...lines, "DE\t1", berlin].join("\n")));
  await assert.rejects(more, {
    message:
      /^has 2 of 102 lines that cannot be used \(line 100: no place; line 101: number of columns\)/,
  });
});

test("any bytes are rows, or one clear error", async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .constantFrom("\t", "\n", "\r\n", "DE", "10115", berlin, `${berlin}\n`, "\x1f\x8b\x08\0", "ü")
      .map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      try {
        const { rows, places } = await readAll(toSource(...pieces));
        assert.equal(places.length, rows);
      } catch (error) {
        assert.ok(error instanceof RowFileError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});
