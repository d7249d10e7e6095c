import { ImportError } from "../import-error.ts";
import { type Cells, readHeader, type TableHeader } from "./columns.ts";
import type { CsvRecord } from "./csv-records.ts";
import type { CustomRow, CustomTable } from "./custom-table.ts";
import type { Problems } from "./problems.ts";
import { createRowReader } from "./row-reader.ts";
import { createSubjects } from "./subjects.ts";
import { textLimits } from "./values.ts";

/** Most rows of a table: they are all held in memory until the artifact is built, some 600 bytes each. */
const rowsMax = 1_000_000;

/** Rows between two calls for whoever waits. */
const stepRows = 1_000;

/** How a table is read. */
export interface ReadTableOptions {
  /** For messages: the path as it was given, or `standard input`. */
  readonly name: string;
  readonly problems: Problems;
  /** Code of the continent that a country is on; undefined for an unknown country. */
  readonly continentOf: (countryCode: string) => string | undefined;
  /** Called every thousand rows with their number; may throw to end it. */
  readonly onRows: (count: number) => void;
}

/**
 * Reads a table of places row by row. What is wrong with a row is added to the problems, and the next one is read.
 *
 * @throws {ImportError} when it is no table of places at all, or has more than a million rows.
 */
export async function readTable(
  records: AsyncIterable<CsvRecord>,
  parts: ReadTableOptions,
): Promise<CustomTable> {
  const { name, problems } = parts;
  const rows = createRows(parts);
  let header: TableHeader | undefined;
  let count = 0;
  for await (const { line, cells } of records) {
    if (header === undefined) {
      header = readHeader(cells, name);
      continue;
    }
    count += 1;
    if (count > rowsMax) {
      throw new ImportError(name, `has more than ${rowsMax.toLocaleString("en-US")} rows`, {
        line,
      });
    }
    if (count % stepRows === 0) parts.onRows(count);
    if (cells.length === header.columnCount) rows.add(line, header.toCells(cells));
    else
      problems.add(line, `has ${cells.length} columns, and the header has ${header.columnCount}`);
  }
  if (header === undefined) throw new ImportError(name, "is empty: it has no header");
  return rows.finish();
}

/** The rows of a table as they come. */
interface Rows {
  add(line: number, cells: Cells): void;
  finish(): CustomTable;
}

function createRows({ problems, continentOf }: ReadTableOptions): Rows {
  const subjects = createSubjects(problems, continentOf);
  const places = createPlaces(problems);
  const shortZips: { count: number; firstLine: number | undefined } = {
    count: 0,
    firstLine: undefined,
  };
  return {
    add(line, cells) {
      const row = createRowReader(line, cells, problems);
      const countryCode = row.countryCode();
      if (countryCode === undefined) return;
      const state = subjects.say(row, countryCode);
      const key = row.key(countryCode);
      const city = row.required("city", textLimits.city);
      const isPreferred = row.flag("preferred") ?? false;
      const isActive = row.flag("active") ?? true;
      if (key === undefined || city === undefined) return;
      if (countryCode === "US" && /^\d{3,4}$/.test(key)) {
        shortZips.count += 1;
        shortZips.firstLine ??= line;
      }
      places.add({ line, countryCode, key, city, state, isPreferred }, isActive);
    },
    finish: () => ({ ...places.finish(), ...subjects.finish(), shortZips }),
  };
}

/** The places of the rows, each once. */
function createPlaces(problems: Problems) {
  const byPlace = new Map<string, CustomRow & { readonly isActive: boolean }>();
  const preferredLines = new Map<string, number>();
  let repeatedCount = 0;
  return {
    add(row: CustomRow, isActive: boolean): void {
      const { line, countryCode, key, city, state, isPreferred } = row;
      const code = `${countryCode} ${key}`;
      const place = `${code} ${state} ${city}`;
      const before = byPlace.get(place);
      if (isPreferred && !isActive) problems.add(line, "is preferred, but not active");
      if (before !== undefined) {
        const isSame = before.isPreferred === isPreferred && before.isActive === isActive;
        if (isSame) repeatedCount += 1;
        else problems.add(line, `says of ${key} ${city} otherwise than line ${before.line}`);
        return;
      }
      byPlace.set(place, { ...row, isActive });
      if (!isPreferred) return;
      const preferredLine = preferredLines.get(code);
      if (preferredLine === undefined) preferredLines.set(code, line);
      else {
        problems.add(
          line,
          `is preferred for ${key} of ${countryCode}, as line ${preferredLine} is`,
        );
      }
    },
    finish() {
      const all = [...byPlace.values()];
      const rows = all.filter(({ isActive }) => isActive);
      return { rows, inactiveCount: all.length - rows.length, repeatedCount };
    },
  };
}
