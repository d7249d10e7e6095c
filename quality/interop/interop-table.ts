import { columns } from "./interop-case.ts";

/** Result of one test of the matrix. */
export interface CellResult {
  /** Way to the server. */
  readonly way: string;
  /** Client and binding, for example `"PHP, SOAP 1.1"`. */
  readonly row: string;
  readonly column: string;
  readonly state: CellState;
  /** Why it was skipped; empty where it was not. */
  readonly reason: string;
}

/** States of a cell; the first one wins where its tests ended differently. */
const cellStates = ["FAILED", "skipped", "ok"] as const;
type CellState = (typeof cellStates)[number];

/** Blanks between columns. */
const gap = "  ";

/** Renders a table per way, clients and bindings down, operations across; empty without results. */
export function renderTables(results: readonly CellResult[]): string {
  const tables = [...Map.groupBy(results, ({ way }) => way)].map(([way, cells]) => {
    const rows = [...Map.groupBy(cells, ({ row }) => row)].map(([row, some]) => [
      row,
      ...columns.map((column) => cellOf(some.filter((one) => one.column === column))),
    ]);
    const headings = [["client, binding", ""], ...columns.map(inTwoLines)];
    const [upper, lower] = [0, 1].map((line) => headings.map((lines) => lines[line] ?? ""));
    return `\nSOAP clients over ${way}\n\n${align([upper ?? [], lower ?? [], ...rows])}`;
  });
  const reasons = new Set(results.map(({ reason }) => reason).filter((reason) => reason !== ""));
  const skipped = [...reasons].map((reason) => `skipped: ${reason}\n`);
  return [...tables, ...(skipped.length === 0 ? [] : ["\n"]), ...skipped].join("");
}

function cellOf(tests: readonly CellResult[]): string {
  // Not every binding carries every operation.
  return cellStates.find((state) => tests.some((one) => one.state === state)) ?? "-";
}

/** Splits a heading into two short lines, at a blank or before a capital letter. */
function inTwoLines(heading: string): readonly [string, string] {
  const breaks = [...heading.matchAll(/ |(?<=[a-z])(?=[A-Z])/g)].map(({ 0: blank, index }) => {
    const lines = [heading.slice(0, index), heading.slice(index + blank.length)] as const;
    return { lines, width: Math.max(...lines.map((line) => line.length)) };
  });
  const [best] = breaks.toSorted((one, other) => one.width - other.width);
  return best?.lines ?? [heading, ""];
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(gap))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
