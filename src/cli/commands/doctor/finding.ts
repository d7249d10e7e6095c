import type { Json } from "../../io/printable.ts";
import { toPrintable } from "../../io/printable.ts";

/** How things are: as they should be, worth a look, or in the way of the server. */
export type Level = "ok" | "warning" | "problem";

/** One thing that was looked at. */
export interface Finding {
  /** Names what was looked at, for scripts: it stays the same when sentences change. In kebab-case, one for all levels. */
  readonly check: string;
  readonly level: Level;
  /** One sentence. */
  readonly text: string;
  /** A command or a setting; null where nothing is to be done. */
  readonly fix: string | null;
}

/** Findings about one part of the installation. */
export interface Chapter {
  /** One word for people and scripts, for example `"database"`. */
  readonly area: string;
  readonly findings: readonly Finding[];
}

/** Something that is as it should be. */
export function ok(check: string, text: string): Finding {
  return { check, level: "ok", text, fix: null };
}

/** Something worth a look, with what to do about it. */
export function warning(check: string, text: string, fix: string): Finding {
  return { check, level: "warning", text, fix };
}

/** Something that is in the way, with what to do about it. */
export function problem(check: string, text: string, fix: string): Finding {
  return { check, level: "problem", text, fix };
}

const marks: Readonly<Record<Level, string>> = { ok: "ok", warning: "WARN", problem: "FAIL" };

/** Chapters for people: a mark, the area and a sentence on each line, the fix below it, and the sum at the end. */
export function renderChapters(chapters: readonly Chapter[]): string {
  const width = Math.max(...chapters.map(({ area }) => area.length));
  const indent = " ".repeat(6 + width + 2);
  const lines = chapters.flatMap(({ area, findings }) =>
    findings.flatMap(({ level, text, fix }) => [
      `${marks[level].padEnd(4)}  ${area.padEnd(width)}  ${toPrintable(text)}`,
      ...(fix === null ? [] : [`${indent}fix: ${toPrintable(fix)}`]),
    ]),
  );
  const { ok, warnings, problems } = countLevels(chapters);
  const sum = `${problems} ${plural("problem", problems)}, ${warnings} ${plural("warning", warnings)}, ${ok} ok`;
  return `${[...lines, "", sum].join("\n")}\n`;
}

/** The same as one value: what `--json` prints. */
export function toJson(chapters: readonly Chapter[]): Json {
  return {
    ...countLevels(chapters),
    findings: chapters.flatMap(({ area, findings }) =>
      findings.map(({ check, level, text, fix }) => ({ area, check, level, text, fix })),
    ),
  };
}

/** How many findings there are of each level. */
export function countLevels(chapters: readonly Chapter[]) {
  const levels = chapters.flatMap(({ findings }) => findings.map(({ level }) => level));
  const count = (wanted: Level) => levels.filter((level) => level === wanted).length;
  return { problems: count("problem"), warnings: count("warning"), ok: count("ok") };
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
