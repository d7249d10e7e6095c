import type { DateTime } from "../contract/operation.ts";

/** Why a text is no dateTime, in the words of the reference stack. */
const notADate = "String was not recognized as a valid DateTime.";

/** Longest text that is read, in UTF-16 units: the longest form with twenty decimals and some blanks. */
const lengthMax = 64;

/** dateTime, date and gYearMonth of XML Schema Part 2 §3.2.7, §3.2.9, §3.2.10; a zone is optional in all. */
const form =
  /^[\t\n\r ]*(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?)?([Zz]|[+-]\d\d:\d\d)?[\t\n\r ]*$/;

/**
 * Reads an xsd:dateTime, for example `"2020-01-02T03:04:05.678Z"`; a date or a year and month will
 * do. Without a zone it names no instant. Fractions below a millisecond are cut from the instant.
 *
 * @throws {SyntaxError} when the text has not that form, or names no day or time there is.
 */
export function parseDateTime(text: string): DateTime {
  const match = text.length > lengthMax ? null : form.exec(text);
  if (match === null) throw new SyntaxError(notADate);
  const [, year = "", month = "", day = "01", hour = "00", minute = "00", second = "00"] = match;
  const zone = match[8];
  const days = daysInMonth(Number(year), Number(month));
  const isDay = year !== "0000" && day !== "00" && Number(day) <= days;
  const isTime = hour <= "23" && minute <= "59" && second <= "59";
  if (!isDay || !isTime) throw new SyntaxError(notADate);
  const fraction = (match[7] ?? "").padEnd(3, "0").slice(0, 3);
  const localMs =
    Date.UTC(
      Number(year) + calendarYears,
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
      Number(fraction),
    ) - calendarMs;
  return { text, instantMs: zone === undefined ? null : localMs - offsetMs(zone) };
}

/** After so many years the calendar repeats; `Date.UTC` takes the first hundred years for others, so it is asked for later ones. */
const calendarYears = 400;
const calendarMs = 146_097 * 86_400_000;

/** Days of a month from 1 to 12, of which there are none in others. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return monthDays[month - 1] ?? 0;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Offset of a zone from UTC. XML Schema allows 14 hours, the reference stack a little more. */
function offsetMs(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (hours > 15 || minutes > 59) throw new SyntaxError(notADate);
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** First and last millisecond of the years 1 to 9999, which is what a DateTime holds. */
const firstMs = Date.parse("0001-01-01T00:00:00.000Z");
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");

const millisecondsForm = /^\/Date\(\s*(-?\d{1,15})\s*(?:[+-]\d{4})?\s*\)\/$/;

/**
 * Reads a date of JSON: `"/Date(1577934245678)/"`, where a zone behind the number changes nothing, or
 * any text that {@link parseDateTime} reads.
 *
 * @throws {SyntaxError} when the text is neither, or lies outside the years 1 to 9999.
 */
export function parseJsonDate(text: string): DateTime {
  const digits = millisecondsForm.exec(text)?.[1];
  if (digits === undefined) return parseDateTime(text);
  const instantMs = Number(digits);
  if (instantMs < firstMs || instantMs > lastMs) throw new SyntaxError(notADate);
  return { text, instantMs };
}
