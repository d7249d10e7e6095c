import { findNear } from "@wfh/server/lib/edit-distance.ts";
import { RowFileError } from "./row-file-error.ts";

/**
 * Value of a row in a column. Lists occur in JSON only; null is any JSON value but a text, number,
 * boolean or list of texts. A missing value has no cell in JSON, and `""` in CSV.
 */
export type Cell = string | readonly string[] | null;

/** The cells of a row by the fields that their columns stand for. */
export type Cells<Field extends string> = Partial<Record<Field, Cell>>;

/** The columns of a kind of table. */
export interface TableColumns<Field extends string> {
  /**
   * Column names of each field. Of several columns for a field, the first name here wins. Case,
   * blanks, `_` and `-` do not matter. People are shown the first name.
   */
  readonly names: Readonly<Record<Field, readonly [string, ...string[]]>>;
  readonly required: readonly Field[];
  /** The same for W3C extended logs; absent where those are not read. */
  readonly requiredOfLogs?: readonly Field[];
  /** For people, about columns that are missing; without a full stop. */
  readonly hint?: string;
  /** Handling of unknown columns. */
  readonly others: "ignore" | "refuse";
}

/** Most columns of a header. */
const columnsMax = 1_000;
/** Ignored columns that are kept: lines of JSON may each have names of their own. */
const ignoredMax = 50;

/** Reads the header of a table, and then the cells of its rows. */
export class Columns<Field extends string> {
  readonly ignored: string[] = [];
  readonly #kind: TableColumns<Field>;
  readonly #file: string;
  readonly #meanings = new Map<string, Meaning<Field>>();
  /** By the names as the file writes them. */
  readonly #met = new Map<string, Meaning<Field> | undefined>();
  /** The column of each field that the header has. */
  #positions: readonly (readonly [field: Field, column: number])[] = [];

  constructor(kind: TableColumns<Field>, file: string) {
    this.#kind = kind;
    this.#file = file;
    for (const field of Object.keys(kind.names) as Field[]) {
      for (const [rank, name] of kind.names[field].entries()) {
        this.#meanings.set(fold(name), { field, rank });
      }
    }
  }

  /** @throws {RowFileError} naming each missing, repeated, or refused unknown column. */
  readHeader(header: readonly string[], line: number, isLog = false): void {
    const { names, others, requiredOfLogs = [], hint } = this.#kind;
    const required = isLog ? requiredOfLogs : this.#kind.required;
    const fail = (message: string) => new RowFileError(this.#file, message, { line });
    if (header.length > columnsMax) throw fail(`has more than ${columnsMax} columns`);
    const columns = header.map((name) => name.trim());
    const folded = columns.map(fold);
    const found = this.pickNamed(columns.map((name, column) => [name, String(column)]));
    this.#positions = Object.entries(found).map(([field, at]) => [field as Field, Number(at)]);
    const complaints = [
      ...(others === "refuse" ? this.ignored.map((name) => this.#describeUnknown(name)) : []),
      ...required
        .filter((field) => found[field] === undefined)
        .map((field) => `the column ${names[field][0]} is missing`),
      ...columns
        .filter((name, i) => name !== "" && folded.indexOf(fold(name)) !== i)
        .map((name) => `the column ${name} occurs twice`),
    ];
    if (complaints.length === 0) return;
    const advice =
      others === "refuse"
        ? `The columns are ${this.#columnNames().join(", ")}`
        : `The header has ${columns.slice(0, 20).join(", ")}`;
    throw fail([complaints.join("; "), advice, ...(hint ? [hint] : [])].join(". "));
  }

  /** The cells of a row of CSV, which is as wide as the header. */
  pickCells(row: readonly string[]): Cells<Field> {
    const cells: Cells<Field> = {};
    for (const [field, column] of this.#positions) cells[field] = row[column] ?? "";
    return cells;
  }

  /** The cells of a row whose members are named one by one. */
  pickNamed(members: readonly (readonly [name: string, cell: Cell])[]): Cells<Field> {
    const cells: Cells<Field> = {};
    const ranks: Partial<Record<Field, number>> = {};
    for (const [name, cell] of members) {
      const meaning = this.#findMeaning(name);
      if (meaning === undefined || meaning.rank > (ranks[meaning.field] ?? meaning.rank)) continue;
      ranks[meaning.field] = meaning.rank;
      cells[meaning.field] = cell;
    }
    return cells;
  }

  #findMeaning(name: string): Meaning<Field> | undefined {
    if (this.#met.has(name)) return this.#met.get(name);
    const meaning = this.#meanings.get(fold(name));
    if (meaning === undefined && this.ignored.length >= ignoredMax) return undefined;
    if (meaning === undefined && name !== "") this.ignored.push(name);
    this.#met.set(name, meaning);
    return meaning;
  }

  #columnNames(): readonly string[] {
    return Object.values<readonly [string, ...string[]]>(this.#kind.names).map(([name]) => name);
  }

  #describeUnknown(name: string): string {
    const given = name.slice(0, 40);
    const most = Math.max(1, Math.floor(fold(given).length / 3));
    const [near] = findNear(given, this.#columnNames(), { distanceMax: () => most, fold });
    const meant = near === undefined ? "" : ` (${near}?)`;
    return `the column ${JSON.stringify(name.slice(0, 40))} is unknown${meant}`;
  }
}

interface Meaning<Field extends string> {
  readonly field: Field;
  readonly rank: number;
}

/** Form in which column names are compared. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
