import type { Original } from "./originals.ts";

/** A number from 0 to below a bound. */
export type Random = (bound: number) => number;

/** Pseudo-random numbers, the same for equal seed and request number (mulberry32). */
export function createRandom(seed: number, number: number): Random {
  let state = (seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** Pieces that mean something to XML, SOAP, JSON, forms or HTTP. */
const words = [
  "<",
  ">",
  "/>",
  "</",
  "&",
  "&amp;",
  "&#0;",
  "&#x110000;",
  "&l9;",
  "]]>",
  "<![CDATA[",
  "<!--",
  "-->",
  "<?",
  "?>",
  "<!DOCTYPE a [<!ENTITY a 'b'>]>",
  "<a>",
  "</a>",
  "<a/>",
  ' xmlns=""',
  ' xmlns:e="urn:x"',
  ' xsi:nil="true"',
  ' i:nil="1"',
  ' mustUnderstand="1"',
  "<e:Header/>",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "null",
  "true",
  "1e999",
  "-0",
  "__proto__",
  "\\ud800",
  "\\u0000",
  "=",
  "%",
  "%00",
  "%u0041",
  "+",
  ";",
  "?",
  "#",
  "/",
  "..",
  "\0",
  "\x01",
  "\r",
  "\n",
  "\t",
  " ",
  "\xff",
  "\xfe\xff",
  "\xef\xbb\xbf",
  "\xed\xa0\x80",
  "\xc3\xa9",
  "9".repeat(40),
  "0",
  "2147483648",
  "9223372036854775808",
  "2020-02-30T00:00:00Z",
  "a".repeat(1_000),
  "charset=utf-16",
].map((word) => Buffer.from(word, "latin1"));

/** Values that are words to every format, so that what they stand in stays whole. */
const values = [
  "",
  "0",
  "-1",
  "1",
  "true",
  "10001",
  "K1A 0B1",
  "2147483647",
  "2147483648",
  "-9223372036854775808",
  "9223372036854775808",
  "2020-02-29T23:59:59.999Z",
  "2020-13-01",
  "PostalCodeToCityState",
  "e",
  "s",
  "GetStateListForCountryId",
  "LogPageRequestAsync",
  "TryAutoLogIn",
  "LogInUser",
  "Envelope",
  "Body",
  "Header",
  "Fault",
  "nil",
  "mustUnderstand",
  "soap",
  "xmlns",
  "utf-16",
  "utf-8",
  "__proto__",
  "x".repeat(300),
];

type Change = (bytes: Buffer, random: Random, others: readonly Original[]) => Buffer;

const changes: readonly Change[] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 0) copy[random(copy.length)] = random(256);
    return copy;
  },
  (bytes, random) => insert(bytes, random(bytes.length + 1), words[random(words.length)] ?? bytes),
  (bytes, random) => {
    const at = random(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random(20))]);
  },
  (bytes, random) => bytes.subarray(0, random(bytes.length + 1)),
  (bytes, random) => {
    const at = random(bytes.length + 1);
    const piece = bytes.subarray(at, at + random(200));
    return insert(
      bytes,
      random(bytes.length + 1),
      Buffer.concat(Array(1 + random(20)).fill(piece)),
    );
  },
  (bytes, random, others) => {
    const { body } = others[random(others.length)] ?? { body: bytes };
    const at = random(body.length + 1);
    return insert(bytes, random(bytes.length + 1), body.subarray(at, at + random(300)));
  },
  (bytes, random) => {
    const text = bytes.toString("latin1");
    const unit = text[random(text.length + 1)] ?? "a";
    return Buffer.from(text.replaceAll(unit, String.fromCharCode(random(256))), "latin1");
  },
];

/** Replaces a word, once or everywhere; most documents stay well-formed. */
function changeWord(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString("latin1");
  const found = [...text.matchAll(/[A-Za-z0-9_]+/g)];
  const word = found[random(found.length || 1)];
  const value = values[random(values.length)] ?? "";
  if (word === undefined) return bytes;
  const end = word.index + word[0].length;
  const changed =
    random(2) === 0
      ? text.replaceAll(word[0], value)
      : text.slice(0, word.index) + value + text.slice(end);
  return Buffer.from(changed, "latin1");
}

/** Repeats an element or a member, or takes it out. */
function changePiece(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString("latin1");
  const found = [...text.matchAll(/<(\w+)[^<>]*>[^<>]*<\/\1>|"\w+":"?[^",{}]*"?,|\w+=[^&]*&/g)];
  const piece = found[random(found.length || 1)];
  if (piece === undefined) return bytes;
  const times = [0, 2, 100][random(3)] ?? 0;
  const end = piece.index + piece[0].length;
  return Buffer.from(
    text.slice(0, piece.index) + piece[0].repeat(times) + text.slice(end),
    "latin1",
  );
}

function insert(bytes: Buffer, at: number, piece: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

/** Changes bytes in one or more ways; `others` are what pieces are taken from. */
export function change(bytes: Buffer, random: Random, others: readonly Original[]): Buffer {
  let changed = bytes;
  if (random(2) === 0) {
    for (let times = 1 + random(2); times > 0; times -= 1) {
      changed = random(3) === 0 ? changePiece(changed, random) : changeWord(changed, random);
    }
    return changed;
  }
  for (let times = 1 + random(3); times > 0; times -= 1) {
    const apply = changes[random(changes.length)];
    if (apply !== undefined) changed = apply(changed, random, others);
  }
  return changed;
}
