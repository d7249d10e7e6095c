import type { Bar } from "../charts/bar-chart.ts";
import { formatDay } from "../reports/report-span.ts";
import { barDayOf, describeDay, describeMonth, type Period } from "./period.ts";

/** Hours of a day. */
const dayHours = 24;

/** Counts by their day, or by their hour, since 1970. */
export type CountsByTime = ReadonlyMap<number, number>;

/** Bars of the days, weeks or months of a period, each with the period before. */
export function barsByDay(
  { span, unit, shiftDays }: Period,
  counts: CountsByTime,
  nowMs: number,
): readonly Bar[] {
  const sums = new Map<number, { count: number; other: number }>();
  for (let day = span.fromDay; day <= span.toDay; day += 1) {
    const sum = sums.get(barDayOf(day, unit)) ?? { count: 0, other: 0 };
    sum.count += counts.get(day) ?? 0;
    sum.other += shiftDays === null ? 0 : (counts.get(day - shiftDays) ?? 0);
    sums.set(barDayOf(day, unit), sum);
  }
  const hasOther = [...sums.values()].some(({ other }) => other > 0);
  const today = Math.floor(nowMs / 86_400_000);
  return [...sums].map(([day, { count, other }]) => ({
    time: unit === "month" ? formatDay(day).slice(0, "2026-11".length) : formatDay(day),
    label: unit === "month" ? describeMonth(day) : describeDay(day),
    tick: unit === "month" ? describeMonth(day) : describeDay(day, "short"),
    count,
    other: hasOther ? other : null,
    isRunning: day === barDayOf(today, unit),
  }));
}

/** Bars of the last 24 hours, each with the same hour of the day before. */
export function barsByHour(counts: CountsByTime, nowMs: number): readonly Bar[] {
  const current = Math.floor(nowMs / 3_600_000);
  return Array.from({ length: dayHours }, (_, index) => {
    const hour = current - dayHours + 1 + index;
    return {
      time: `${formatDay(Math.floor(hour / dayHours))}T${describeHour(hour % dayHours)}Z`,
      label: `${describeDay(Math.floor(hour / dayHours))}, ${describeHour(hour % dayHours)} UTC`,
      tick: describeHour(hour % dayHours),
      count: counts.get(hour) ?? 0,
      other: counts.get(hour - dayHours) ?? 0,
      isRunning: hour === current,
    };
  });
}

/** Bars of the hours of a day, over all days together. */
export function barsByHourOfDay(counts: CountsByTime): readonly Bar[] {
  const sums = new Array<number>(dayHours).fill(0);
  for (const [hour, count] of counts) sums[hour % dayHours] = (sums[hour % dayHours] ?? 0) + count;
  return sums.map((count, hour) => ({
    time: describeHour(hour),
    label: `${describeHour(hour)} to ${describeHour(hour + 1)} UTC`,
    tick: describeHour(hour),
    count,
    other: null,
  }));
}

function describeHour(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

/** Today's page requests, beside what is usual by this time of the day. */
export interface TodayCount {
  readonly count: number;
  /** Average by this time of the days that it is compared with; null on the first day. */
  readonly usual: number | null;
  /** The days that it is compared with, for example `"Thursdays"`. */
  readonly comparedWith: string;
}

/** Weeks whose same day is compared with today, and how many of them are enough. */
const weeksCompared = 4;
const weeksEnough = 2;

/** Days of hours that a comparison of today needs, today included. */
export const todayWindowDays = weeksCompared * 7 + 1;

const weekdays = "Sundays Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays".split(" ");

/**
 * Compares today with the same day of the last four weeks, or with the last seven days while there
 * are not enough weeks: each up to the same time, of the current hour in proportion.
 */
export function compareToday(hours: CountsByTime, nowMs: number): TodayCount {
  const today = Math.floor(nowMs / 86_400_000);
  const firstDay = Math.floor(Math.min(...hours.keys()) / dayHours);
  const untilNow = (day: number) => {
    const hour = (nowMs / 3_600_000) % dayHours;
    let sum = 0;
    for (let h = 0; h <= hour; h += 1) {
      sum += (hours.get(day * dayHours + h) ?? 0) * Math.min(1, hour - h);
    }
    return sum;
  };
  let count = 0;
  for (let h = 0; h < dayHours; h += 1) count += hours.get(today * dayHours + h) ?? 0;
  // The first day may have begun in its middle.
  const known = (day: number) => day > firstDay;
  const weeks = Array.from({ length: weeksCompared }, (_, i) => today - 7 * (i + 1)).filter(known);
  const days = Array.from({ length: 7 }, (_, i) => today - i - 1).filter(known);
  const isByWeek = weeks.length >= weeksEnough;
  const compared = isByWeek ? weeks : days;
  if (compared.length === 0) return { count, usual: null, comparedWith: "" };
  const usual = compared.reduce((sum, day) => sum + untilNow(day), 0) / compared.length;
  const weekday = weekdays[new Date(nowMs).getUTCDay()] ?? "";
  const comparedWith = isByWeek ? `the last ${weeks.length} ${weekday}` : "the last days";
  return { count, usual, comparedWith };
}

/** Rates a count by what is usual: chance alone moves it by some, and so does any day. */
export function rateToday({ count, usual }: TodayCount): "usual" | "more" | "fewer" | "unknown" {
  if (usual === null) return "unknown";
  const allowed = Math.max(0.25 * usual, 2 * Math.sqrt(usual), 3);
  if (Math.abs(count - usual) <= allowed) return "usual";
  return count > usual ? "more" : "fewer";
}
