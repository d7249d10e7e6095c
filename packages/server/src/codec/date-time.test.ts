import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDateTime, parseJsonDate } from "./date-time.ts";

const read: readonly (readonly [string, string | null])[] = [
  ["2020-01-02T03:04:05.678Z", "2020-01-02T03:04:05.678Z"],
  ["2020-01-02T03:04:05z", "2020-01-02T03:04:05.000Z"],
  ["2020-01-02T03:04:05+01:30", "2020-01-02T01:34:05.000Z"],
  ["2020-01-02T03:04:05-15:00", "2020-01-02T18:04:05.000Z"],
  ["2020-01-02T03:04:05.1234567890Z", "2020-01-02T03:04:05.123Z"],
  ["2020-01-02T03:04:05.1Z", "2020-01-02T03:04:05.100Z"],
  ["2020-01-02Z", "2020-01-02T00:00:00.000Z"],
  ["2020-02-29T00:00:00Z", "2020-02-29T00:00:00.000Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  [" \n2020-01-02T03:04:05Z\t", "2020-01-02T03:04:05.000Z"],
  ["2020-01-02T03:04:05", null],
  ["2020-01-02", null],
  ["2020-01", null],
  ["0001-01-01T00:00:00", null],
  ["9999-12-31T23:59:59.9999999", null],
];
for (const [text, instant] of read) {
  test(`parseDateTime() of ${JSON.stringify(text)} is ${instant ?? "no instant"}`, () => {
    const { text: kept, instantMs } = parseDateTime(text);
    assert.equal(kept, text, "the text is kept to the letter");
    assert.equal(instantMs === null ? null : new Date(instantMs).toISOString(), instant);
  });
}

const refused = [
  "",
  " ",
  "yesterday",
  "2020-13-01T00:00:00Z",
  "2020-02-30T00:00:00Z",
  "2021-02-29",
  "2020-01-02T24:00:00Z",
  "2020-01-02T23:60:00Z",
  "2020-01-02T03:04:60Z",
  "2020-01-02T03:04Z",
  "2020-01-02 03:04:05",
  "2020-01-02T03:04:05.Z",
  "2020-01-02T03:04:05+16:00",
  "2020-01-02T03:04:05+01:60",
  "0000-01-01T00:00:00Z",
  "10000-01-01T00:00:00Z",
  "1/2/2020",
  "03:04:05",
  `2020-01-02T03:04:05.${"1".repeat(60)}Z`,
];
for (const text of refused) {
  test(`parseDateTime() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseDateTime(text), SyntaxError);
  });
}

test("parseDateTime() reads what any instant is written as", () => {
  const instants = fc.date({
    min: new Date("0001-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instants, (instant) => {
      assert.equal(parseDateTime(instant.toISOString()).instantMs, instant.getTime());
    }),
  );
});

test("parseDateTime() takes the days and times that there are, and no others", () => {
  const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, "0"));
  const near = fc.constantFrom("00", "01", "02", "12", "13", "23", "24", "28", "29", "30", "31");
  const part = fc.oneof(near, two);
  const years = fc.oneof(
    fc.constantFrom("0000", "0001", "0004", "0099", "0100", "1900", "2000", "2023", "2024", "9999"),
    fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, "0")),
  );
  fc.assert(
    fc.property(fc.tuple(years, part, part, part, part, part), (words) => {
      const [year, month, day, hour, minute, second] = words;
      const text = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
      const ms = Date.parse(text);
      // The engine accepts days that a month does not have, and reads them as other days.
      const isThere = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
      if (year !== "0000" && isThere) assert.equal(parseDateTime(text).instantMs, ms, text);
      else assert.throws(() => parseDateTime(text), SyntaxError, text);
    }),
    { numRuns: 3_000 },
  );
});

const jsonDates: readonly (readonly [string, number])[] = [
  ["/Date(1577934245678)/", 1_577_934_245_678],
  ["/Date( 1577934245678 )/", 1_577_934_245_678],
  ["/Date(1577934245678+0200)/", 1_577_934_245_678],
  ["/Date( 1577934245678 +0200 )/", 1_577_934_245_678],
  ["/Date(-62135596800000)/", -62_135_596_800_000],
  ["2020-01-02T03:04:05.678Z", 1_577_934_245_678],
];
for (const [text, instantMs] of jsonDates) {
  test(`parseJsonDate() of ${text}`, () =>
    assert.deepEqual(parseJsonDate(text), { text, instantMs }));
}

for (const text of [
  "/Date(",
  "/Date()/",
  "/Date(1.5)/",
  "/Date(253402300800000)/",
  "Date(1)",
  "",
  `/Date(1${" ".repeat(60)})/`,
]) {
  test(`parseJsonDate() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseJsonDate(text), SyntaxError);
  });
}
