import type { FaultCode } from "@wfh/server/fault.ts";

/** A hostile body in JSON. */
export interface JsonAttack {
  readonly name: string;
  /** Given a part of the operation that takes a text, or one that takes a number. */
  body(textPart: string, numberPart: string): string | Uint8Array;
  /** The fault that answers it; `none` where it is a good call that looks bad. */
  readonly fault: FaultCode | "none" | "either";
  /** The fault at the location helper, which takes JavaScript too, where it is another one. */
  readonly lenientFault?: JsonAttack["fault"] | undefined;
  readonly parameters?: string;
}

const deep = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth);

/** A call with a value that is written as it is given. */
function withText(value: string): JsonAttack["body"] {
  return (part) => `{${JSON.stringify(part)}:${value}}`;
}

function withNumber(value: string): JsonAttack["body"] {
  return (_part, number) => `{${JSON.stringify(number)}:${value}}`;
}

/** A good text part with other members beside it. */
function beside(members: string): JsonAttack["body"] {
  return (part) => `{${members},${JSON.stringify(part)}:"10001"}`;
}

function utf16(isLittleEndian: boolean): JsonAttack["body"] {
  return (part) => {
    const bytes = Buffer.from(`\ufeff{"${part}":"10001"}`, "utf16le");
    return isLittleEndian ? bytes : bytes.swap16();
  };
}

const bodyMax = 65_536;
const fill = (unit: string) => unit.repeat(Math.floor(bodyMax / Buffer.byteLength(unit)));

type Row = readonly [
  name: string,
  body: JsonAttack["body"],
  fault: JsonAttack["fault"],
  lenientFault?: JsonAttack["fault"],
];

const structure: readonly Row[] = [
  ["nesting of arrays at the limit", beside(`"a":${deep("[", "]", 7)}`), "none"],
  ["nesting of arrays beyond the limit", beside(`"a":${deep("[", "]", 8)}`), "sender"],
  ["nesting of arrays, 20,000 deep", beside(`"a":${deep("[", "]", 20_000)}`), "sender"],
  ["nesting of objects, 10,000 deep", beside(`"a":${deep('{"a":', "}", 10_000)}`), "sender"],
  ["nesting that never ends", () => "[".repeat(60_000), "sender"],
  ["a good call within an array", (part) => `[{"${part}":"1"}]`, "sender"],
  ["a number alone", () => "1e5", "sender"],
  ["null alone", () => "null", "sender"],
  ["a text alone", () => '"a"', "sender"],
  ["a name twice", (part) => `{"${part}":1,"${part}":"10001"}`, "none"],
  [
    "a name 3,000 times",
    (part) => `{${`"${part}":"1",`.repeat(2_500)}"${part}":"10001"}`,
    "sender",
  ],
  ["5,000 names", beside(Array.from({ length: 5_000 }, (_, i) => `"n${i}":0`).join()), "sender"],
  ["5,000 numbers with fractions", beside(`"a":[${"1.5,".repeat(5_000)}1.5]`), "sender"],
  ["10,000 arrays", beside(`"a":[${"[1.5],".repeat(10_000)}1]`), "sender"],
  ["an empty name", beside('"":1'), "none"],
  ["names that are numbers", beside('"0":1,"4294967295":2,"-1":3'), "none"],
  ["__proto__ with a part in it", (part) => `{"__proto__":{"${part}":"10001"}}`, "either"],
  [
    "__proto__ beside the part",
    beside('"__proto__":{"toString":1},"constructor":{"prototype":{"a":1}}'),
    "none",
  ],
  [
    "hasOwnProperty, valueOf and toJSON",
    beside('"hasOwnProperty":0,"valueOf":1,"toJSON":2,"toString":3'),
    "none",
  ],
  ["a name of 60,000 characters", beside(`"${"n".repeat(60_000)}":0`), "none"],
  ["garbage behind it", (part) => `{"${part}":"1"}x`, "sender"],
  ["a second document behind it", (part) => `{"${part}":"1"}{}`, "sender"],
  ["a NUL behind it", (part) => `{"${part}":"1"}\0`, "sender"],
  ["a comment", (part) => `{"${part}":"1"/* */}`, "sender"],
  ["a comma at its end", (part) => `{"${part}":"1",}`, "sender"],
  ["single quotes", (part) => `{'${part}':'1'}`, "sender", "none"],
  ["a bare name", (part) => `{${part}:"1"}`, "sender", "none"],
  ["a bare name that never ends", () => `{${"n".repeat(60_000)}`, "sender"],
  ["single quotes that never end", (part) => `{${part}:'${"x".repeat(60_000)}`, "sender"],
  ["nesting within bare names, 10,000 deep", () => "{a:".repeat(10_000), "sender"],
  ["__proto__ bare", (part) => `{__proto__:{toString:1},${part}:'1'}`, "sender", "none"],
  ["nothing", () => "", "sender"],
  ["white space that only JavaScript knows", (part) => `\u00a0{"${part}":"1"}`, "sender", "none"],
];

const numbers: readonly (readonly [
  value: string,
  fault: JsonAttack["fault"],
  lenientFault?: JsonAttack["fault"],
])[] = [
  ["9".repeat(10_000), "unreadable-part"],
  [`-${"9".repeat(10_000)}`, "unreadable-part"],
  [`1.${"0".repeat(10_000)}`, "unreadable-part"],
  [`"${"9".repeat(10_000)}"`, "unreadable-part"],
  ["1e308", "unreadable-part"],
  ["1e99999", "unreadable-part"],
  ["1E-99999", "unreadable-part"],
  ["0e99999", "either"],
  ["-0", "none"],
  ["1.0", "none"],
  ["2147483648", "either"],
  ["9223372036854775808", "unreadable-part"],
  ["-9223372036854775809", "unreadable-part"],
  ["0.1", "unreadable-part"],
  ["01", "sender", "none"],
  ["+1", "sender", "none"],
  [".5", "sender", "unreadable-part"],
  ["0x10", "sender"],
  ["NaN", "sender", "unreadable-part"],
  ["Infinity", "sender", "unreadable-part"],
  ["true", "unreadable-part"],
  ["[]", "unreadable-part"],
  ["{}", "unreadable-part"],
  ['""', "unreadable-part"],
];

const texts: readonly Row[] = [
  ["half a surrogate pair, escaped", withText('"\\ud800"'), "none"],
  ["surrogates in the wrong order", withText('"\\udc00\\ud800"'), "none"],
  ["NUL, escaped", withText('"\\u0000"'), "none"],
  ["NUL as it is", withText('"\0"'), "sender", "none"],
  ["a line end as it is", withText('"\n"'), "sender", "none"],
  ["an escape of a line end", withText('"\\\n"'), "sender"],
  ["an escape of another letter", withText('"\\x41"'), "sender"],
  ["an escape without its end", withText('"\\u00'), "sender"],
  ["60,000 characters", withText(`"${"x".repeat(60_000)}"`), "none"],
  ["10,000 escapes", withText(`"${"\\u0041".repeat(10_000)}"`), "none"],
  ["half of 60,000 backslashes", withText(`"${"\\".repeat(60_000)}"`), "none"],
  ["a quote behind 60,001 backslashes", withText(`"${"\\".repeat(60_001)}"`), "sender"],
  ["markup", withText('"</script><script>alert(1)</script>"'), "none"],
  ["an object", withText("{}"), "unreadable-part"],
  ["a number", withText("1"), "none"],
  ["a number of 60,000 digits", withText("9".repeat(60_000)), "none"],
  ["20,000 escapes in single quotes", withText(`'${"\\n\\'".repeat(10_000)}'`), "sender", "none"],
];

const fills = [
  "{",
  "[",
  '"',
  "\\",
  ",",
  ":",
  "0",
  "9",
  "-",
  "e",
  " ",
  "\n",
  "\0",
  "é",
  "😀",
  '{"a":',
  '[""',
  "[]",
  "true",
];

/** All hostile bodies of JSON. */
export const jsonAttacks: readonly JsonAttack[] = [
  ...structure.map(([name, body, fault, lenientFault]) => ({ name, body, fault, lenientFault })),
  ...texts.map(([name, body, fault, lenientFault]) => ({
    name: `${name}, as a text`,
    body,
    fault,
    lenientFault,
  })),
  ...numbers.map(([value, fault, lenientFault]) => ({
    name: `${value.length > 30 ? `${value.slice(0, 12)}… of ${value.length} characters` : value} as a number`,
    body: withNumber(value),
    fault,
    lenientFault,
  })),
  ...fills.map((unit) => ({
    name: `64 KiB of ${JSON.stringify(unit)}`,
    body: () => fill(unit),
    fault: "sender" as FaultCode,
  })),
  { name: "a byte more than 64 KiB", body: () => " ".repeat(bodyMax + 1), fault: "too-large" },
  { name: "a mark of UTF-8", body: (part) => `\ufeff{"${part}":"10001"}`, fault: "none" },
  {
    name: "two marks of UTF-8",
    body: (part) => `\ufeff\ufeff{"${part}":"10001"}`,
    fault: "sender",
  },
  { name: "UTF-16LE with a mark", body: utf16(true), fault: "none" },
  { name: "UTF-16BE with a mark", body: utf16(false), fault: "none" },
  {
    name: "UTF-16 without a mark",
    body: (part) => Buffer.from(`{"${part}":"1"}`, "utf16le"),
    fault: "sender",
  },
  {
    name: "UTF-32 with a mark",
    body: () => Buffer.of(0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0),
    fault: "sender",
  },
  { name: "bytes of no UTF-8", body: () => Buffer.of(0x7b, 0xff, 0x7d), fault: "sender" },
  {
    name: "latin1 without a word",
    body: (part) => Buffer.from(`{"${part}":"é"}`, "latin1"),
    fault: "sender",
  },
  {
    name: "UTF-7 by its charset",
    body: () => "{}",
    parameters: "; charset=utf-7",
    fault: "unsupported-media",
  },
  {
    name: "a charset that objects have",
    body: () => "{}",
    parameters: "; charset=__proto__",
    fault: "unsupported-media",
  },
];
