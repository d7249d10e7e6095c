import type { FaultCode } from "@wfh/server/fault.ts";
import { envelopeAround, envelopeOf, type Seam } from "../harness/envelope.ts";
import type { XmlAttack } from "./xml-attacks.ts";

function declared(name: string): (seam: Seam) => string {
  return (seam) => envelopeOf(seam, { prologue: `<?xml version="1.0" encoding="${name}"?>` });
}

/** Text in units of two or four bytes. */
function wide(text: string, bytesPerUnit: 2 | 4, isLittleEndian: boolean): Uint8Array {
  const units = bytesPerUnit === 2 ? text.split("") : [...text];
  const view = new DataView(new ArrayBuffer(units.length * bytesPerUnit));
  for (const [i, unit] of units.entries()) {
    if (bytesPerUnit === 2) view.setUint16(i * 2, unit.charCodeAt(0), isLittleEndian);
    else view.setUint32(i * 4, unit.codePointAt(0) ?? 0, isLittleEndian);
  }
  return new Uint8Array(view.buffer);
}

/** A call whose text holds bytes as they are. */
function raw(...bytes: readonly number[]): (seam: Seam) => Uint8Array {
  return (seam) => {
    const [before = "", after = ""] = envelopeAround(seam, "\0").split("\0");
    return Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(after)]);
  };
}

/** UTF-7 of a document: its angle brackets and quotes in base64. */
function utf7(text: string): string {
  return text.replace(
    /[<>"]/g,
    (sign) => `+${Buffer.from(`\0${sign}`).toString("base64").replace(/=+$/, "")}-`,
  );
}

const mark = "\ufeff";
const bytesOf = (make: (seam: Seam) => string, to: (text: string) => Uint8Array) => (seam: Seam) =>
  to(make(seam));
const plain = (seam: Seam) => envelopeAround(seam, "é😀");
const marked = (seam: Seam) => mark + plain(seam);

type Row = readonly [
  name: string,
  body: XmlAttack["body"],
  fault: FaultCode | "none",
  charset?: string,
];

const rows: readonly Row[] = [
  ["UTF-8 with a mark", marked, "none"],
  ["UTF-8 with two marks", (seam) => mark + marked(seam), "malformed"],
  ["UTF-16LE with a mark", bytesOf(marked, (text) => wide(text, 2, true)), "none"],
  ["UTF-16BE with a mark", bytesOf(marked, (text) => wide(text, 2, false)), "none"],
  [
    "UTF-16LE with a mark called utf-8",
    bytesOf(marked, (text) => wide(text, 2, true)),
    "none",
    "utf-8",
  ],
  ["UTF-16LE without a mark", bytesOf(plain, (text) => wide(text, 2, true)), "malformed"],
  ["UTF-16BE without a mark", bytesOf(plain, (text) => wide(text, 2, false)), "malformed"],
  [
    "UTF-16LE called utf-16be",
    bytesOf(plain, (text) => wide(text, 2, true)),
    "malformed",
    "utf-16be",
  ],
  ["UTF-16LE called utf-16le", bytesOf(plain, (text) => wide(text, 2, true)), "none", "utf-16le"],
  [
    "UTF-16 with half a unit at its end",
    (seam) => Buffer.concat([wide(marked(seam), 2, true), Buffer.of(0)]),
    "malformed",
  ],
  [
    "UTF-16 with half a surrogate pair",
    (seam) => wide(mark + envelopeAround(seam, "\ud800"), 2, true),
    "malformed",
  ],
  ["UTF-32LE with a mark", bytesOf(marked, (text) => wide(text, 4, true)), "malformed"],
  ["UTF-32BE with a mark", bytesOf(marked, (text) => wide(text, 4, false)), "malformed"],
  [
    "UTF-32 by its charset",
    bytesOf(plain, (text) => wide(text, 4, false)),
    "unsupported-media",
    "utf-32",
  ],
  ["UTF-7 by its charset", (seam) => utf7(envelopeOf(seam)), "unsupported-media", "utf-7"],
  ["UTF-7 by its declaration", declared("utf-7"), "unsupported-media"],
  ["UTF-7 without a word", (seam) => utf7(envelopeOf(seam)), "malformed"],
  ["ASCII that declares utf-16", declared("utf-16"), "none"],
  ["ASCII that declares ebcdic-us", declared("ebcdic-us"), "unsupported-media"],
  ["ASCII that declares __proto__", declared("A__proto__"), "unsupported-media"],
  ["ASCII that declares utf-8, called utf-16", declared("utf-8"), "malformed", "utf-16"],
  [
    "a charset of a function of objects",
    (seam) => envelopeOf(seam),
    "unsupported-media",
    "constructor",
  ],
  [
    "a charset of 8,000 characters",
    (seam) => envelopeOf(seam),
    "unsupported-media",
    "x".repeat(8_000),
  ],
  ["latin1 that calls itself utf-8", raw(0xe9), "malformed", "utf-8"],
  ["latin1 by its charset", raw(0xe9, 0x80, 0xff), "none", "iso-8859-1"],
  ["letters beyond ASCII called us-ascii", raw(0xc3, 0xa9), "malformed", "us-ascii"],
  ["an overlong <", raw(0xc0, 0xbc), "malformed"],
  ["an overlong NUL", raw(0xc0, 0x80), "malformed"],
  ["UTF-8 of a surrogate", raw(0xed, 0xa0, 0x80), "malformed"],
  ["UTF-8 beyond Unicode", raw(0xf4, 0x90, 0x80, 0x80), "malformed"],
  ["UTF-8 of five bytes", raw(0xf8, 0x88, 0x80, 0x80, 0x80), "malformed"],
  ["half a character", raw(0xe2, 0x82), "malformed"],
  ["bytes that continue nothing", raw(0x80, 0xbf), "malformed"],
  ["64 KiB of 0xFF", () => Buffer.alloc(65_536, 0xff), "malformed"],
  ["64 KiB of a mark's halves", () => Buffer.alloc(65_536, "\xff\xfe", "latin1"), "malformed"],
];

/** Documents in encodings that are not what they are called, or none at all. */
export const encodingAttacks: readonly XmlAttack[] = rows.map(([name, body, fault, charset]) => ({
  name,
  body,
  fault,
  ...(charset === undefined ? {} : { parameters: `; charset=${charset}` }),
}));
