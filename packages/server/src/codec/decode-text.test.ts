import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeXml, EncodingError, fieldDecoder } from "./decode-text.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));
const utf16 = (text: string, littleEndian: boolean, mark = true) => {
  const units = (mark ? "\ufeff" : "") + text;
  const view = new DataView(new ArrayBuffer(units.length * 2));
  for (let i = 0; i < units.length; i += 1)
    view.setUint16(i * 2, units.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
};

const declared = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>';
const wrong = '<?xml version="1.0" encoding="UTF-16"?><a>é</a>';
const ansi = '<?xml version="1.0" encoding="windows-1252"?><a>é</a>';
const cases: readonly { name: string; bytes: Uint8Array; charset?: string; text: string }[] = [
  { name: "UTF-8 without any hint", bytes: utf8("<a>é😀</a>"), text: "<a>é😀</a>" },
  { name: "UTF-8 with a byte order mark", bytes: utf8("\ufeff<a/>"), text: "<a/>" },
  { name: "UTF-16LE by its mark", bytes: utf16("<a>é</a>", true), text: "<a>é</a>" },
  { name: "UTF-16BE by its mark", bytes: utf16("<a>é</a>", false), text: "<a>é</a>" },
  {
    name: "UTF-16 by its mark, whatever the charset says",
    bytes: utf16("<a/>", true),
    charset: "utf-8",
    text: "<a/>",
  },
  {
    name: "UTF-16LE by its charset",
    bytes: utf16("<a/>", true, false),
    charset: "utf-16le",
    text: "<a/>",
  },
  { name: "the encoding of the declaration", bytes: latin1(declared), text: declared },
  {
    name: "the charset before the declaration",
    bytes: utf8(declared),
    charset: "UTF-8",
    text: declared,
  },
  {
    name: "iso-8859-1 by its charset",
    bytes: latin1("<a>\x80é</a>"),
    charset: "ISO-8859-1",
    text: "<a>\x80é</a>",
  },
  {
    name: "UTF-16LE by its first byte",
    bytes: utf16("<a>é</a>", true, false),
    charset: "utf-16",
    text: "<a>é</a>",
  },
  {
    name: "UTF-16BE by its first byte",
    bytes: utf16("<a>é</a>", false, false),
    charset: "UTF-16",
    text: "<a>é</a>",
  },
  { name: "UTF-8 whose declaration says utf-16", bytes: utf8(wrong), text: wrong },
  {
    name: "windows-1252 by its charset",
    bytes: latin1("<a>\x80\xe9</a>"),
    charset: "Windows-1252",
    text: "<a>€é</a>",
  },
  { name: "windows-1252 by its declaration", bytes: latin1(ansi), text: ansi },
  { name: "a document with NULs behind it", bytes: utf8("<a/>\0\0"), text: "<a/>" },
  { name: "a document of UTF-16 with NULs behind it", bytes: utf16("<a/>\0", true), text: "<a/>" },
  { name: "us-ascii", bytes: utf8("<a/>"), charset: "us-ascii", text: "<a/>" },
];
for (const { name, bytes, charset, text } of cases) {
  test(`decodeXml() reads ${name}`, () => assert.equal(decodeXml(bytes, charset), text));
}

test("decodeXml() refuses an encoding it does not know, by name", () => {
  assert.throws(() => decodeXml(utf8("<a/>"), "ebcdic"), EncodingError);
  assert.throws(() => decodeXml(utf8("<a/>"), "ebcdic"), /ebcdic/);
  assert.throws(
    () => decodeXml(utf8('<?xml version="1.0" encoding="utf-7"?><a/>'), undefined),
    EncodingError,
  );
});

test("decodeXml() refuses bytes that are not valid in their encoding", () => {
  for (const bytes of [
    [0x3c, 0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
  ]) {
    assert.throws(() => decodeXml(Uint8Array.from(bytes), undefined), TypeError);
  }
  assert.throws(() => decodeXml(latin1("é"), "us-ascii"), TypeError);
  assert.throws(() => decodeXml(Uint8Array.from([0xff, 0xfe, 0x41]), undefined), TypeError);
});

test("fieldDecoder() replaces what is not valid by U+FFFD", () => {
  assert.equal(fieldDecoder()(Uint8Array.from([0x41, 0xe9])), "A\ufffd");
  assert.equal(fieldDecoder("iso-8859-1")(Uint8Array.from([0xe9])), "é");
  assert.throws(() => fieldDecoder("utf-16"), EncodingError);
  assert.throws(() => fieldDecoder("nope"), EncodingError);
});
