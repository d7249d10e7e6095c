import { splitCountryHint } from "../../../domain/location/country-hint.ts";
import { normalizePostalCode, toKey } from "../../../domain/location/postal-code.ts";
import { toDataKey } from "../../../domain/location/shortening.ts";
import { packKeyEnd, packKeyStart } from "../../format/layout.ts";
import type { Cells, ColumnName } from "./columns.ts";
import type { Problems } from "./problems.ts";
import { type Parsed, parseFlag, parseId, parseText, quote } from "./values.ts";

/** Reads the cells of a row; an empty one is undefined, a wrong one undefined and a problem. */
export interface RowReader {
  readonly line: number;
  fail(column: ColumnName, message: string): void;
  id(column: ColumnName): number | undefined;
  flag(column: ColumnName): boolean | undefined;
  text(column: ColumnName, charactersMax: number): string | undefined;
  required(column: ColumnName, charactersMax: number): string | undefined;
  countryCode(): string | undefined;
  key(countryCode: string): string | undefined;
}

/** Reads a row; what is wrong with it is added to the problems. */
export function createRowReader(line: number, cells: Cells, problems: Problems): RowReader {
  const fail = (column: ColumnName, message: string) => problems.add(line, `${column} ${message}`);

  function read<Value>(
    column: ColumnName,
    parse: (text: string) => Parsed<Value>,
  ): Value | undefined {
    const text = cells[column];
    if (text === "") return undefined;
    const parsed = parse(text);
    if ("value" in parsed) return parsed.value;
    fail(column, parsed.problem);
    return undefined;
  }

  const text = (column: ColumnName, charactersMax: number) =>
    read(column, (cell) => parseText(cell, charactersMax));
  return {
    line,
    fail,
    id: (column) => read(column, parseId),
    flag: (column) => read(column, parseFlag),
    text,
    required(column, charactersMax) {
      if (cells[column] === "") fail(column, "is empty");
      return text(column, charactersMax);
    },
    countryCode() {
      const code = cells.countryCode.toUpperCase();
      if (/^[A-Z]{2}$/.test(code)) return code;
      const what = code === "" ? "is empty" : `${quote(cells.countryCode)} is not two letters (US)`;
      fail("countryCode", what);
      return undefined;
    },
    key(countryCode) {
      const { postalCode } = cells;
      const isNumber = /^\d(?:[.,]\d+)?E\+\d+$/i.test(postalCode);
      const key = isNumber ? undefined : toKeyOrUndefined(postalCode, countryCode);
      if (key !== undefined) return key;
      const advice = isNumber
        ? ": a spreadsheet took it for a number, format the column as text"
        : "";
      const what = postalCode === "" ? "is empty" : `${quote(postalCode)} is none${advice}`;
      fail("postalCode", what);
      return undefined;
    },
  };
}

/** Key of a code; undefined for what can be none, such as one that names its country itself (`DE:10115`). */
function toKeyOrUndefined(text: string, countryCode: string): string | undefined {
  const code = normalizePostalCode(text);
  if (code === undefined || splitCountryHint(code)?.explicit) return undefined;
  const key = toDataKey(toKey(code), countryCode);
  return packKeyStart(key) === -1 || packKeyEnd(key) === -1 ? undefined : key;
}
