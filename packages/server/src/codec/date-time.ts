import type { DateTime } from "../contract/operation.ts";

/** The error of a text that is not a dateTime, in the words of the reference stack. */
const notADate = "String was not recognized as a valid DateTime.";

/** Longest text, in UTF-16 units: the longest form with twenty decimals and some spaces. */
const lengthMax = 64;

/** dateTime, date and gYearMonth (XML Schema Part 2 §3.2.7, §3.2.9, §3.2.10), zones optional. */
const form =
  /^[\t\n\r ]*(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?)?([Zz]|[+-]\d\d:\d\d)?[\t\n\r ]*$/;

/**
 * Reads an xsd:dateTime, for example `"2020-01-02T03:04:05.678Z"`; a date or a year and month will
 * do. Without a zone it names no instant. Fractions below a millisecond are cut from the instant.
 *
 * @throws {SyntaxError} when the text does not have that form, or its day or time does not exist.
 */
export function parseDateTime(text: string): DateTime {
  const match = text.length > lengthMax ? null : form.exec(text);
  if (match === null) throw new SyntaxError(notADate);
  const [, year = "", month = "", day = "01", hour = "00", minute = "00", second = "00"] = match;
  const { 7: fraction = "", 8: zone } = match;
  const isMonth = year !== "0000" && month >= "01" && month <= "12";
  const isDay = day !== "00" && (day <= "28" || Number(day) <= lastDayOf(year, month));
  const isTime = hour <= "23" && minute <= "59" && second <= "59";
  if (!isMonth || !isDay || !isTime) throw new SyntaxError(notADate);
  if (zone === undefined) return { text, instantMs: null };
  // XML Schema allows offsets up to 14 hours, the reference stack a little more.
  if (zone.slice(1, 3) > "15") throw new SyntaxError(notADate);
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3);
  const instantMs = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${zone.toUpperCase()}`,
  );
  if (Number.isNaN(instantMs)) throw new SyntaxError(notADate);
  return { text, instantMs };
}

function lastDayOf(year: string, month: string): number {
  // The calendar repeats after 400 years; Date.UTC takes the years 0 to 99 for others.
  return new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

/** First and last millisecond of the years 1 to 9999, the range of a .NET DateTime. */
const firstMs = Date.parse("0001-01-01T00:00:00.000Z");
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");

const millisecondsForm = /^\/Date\(\s*(-?\d{1,15})\s*(?:[+-]\d{4}\s*)?\)\/$/;

/**
 * Reads a date of JSON: `"/Date(1577934245678)/"`, where a zone after the number changes nothing,
 * or any text that {@link parseDateTime} reads.
 *
 * @throws {SyntaxError} when the text is neither, lies outside the years 1 to 9999, or is too long.
 */
export function parseJsonDate(text: string): DateTime {
  if (text.length > lengthMax) throw new SyntaxError(notADate);
  const digits = millisecondsForm.exec(text)?.[1];
  if (digits === undefined) return parseDateTime(text);
  const instantMs = Number(digits);
  if (instantMs < firstMs || instantMs > lastMs) throw new SyntaxError(notADate);
  return { text, instantMs };
}
