import { foldColumn } from "./column-name.ts";
import type { Cell, FileRow } from "./row-file.ts";

/** Most names of columns that nobody reads and that are kept to be told. */
const unknownMax = 50;

/** Which columns of a file mean what. */
export interface Columns<Field extends string> {
  /** The field that a column is read as; undefined for a column that nobody reads. */
  fieldOf(name: string): Field | undefined;
  /** The cells of a row by their fields. Of two columns for one field the one counts that is named first among its names. */
  pick(row: FileRow): Partial<Record<Field, Cell>>;
  /** Columns that were met and nobody reads. */
  unknown(): readonly string[];
}

/**
 * Reads columns by the names that they may have. Case, blanks, `_` and `-` do not count.
 *
 * @param names for each field what its column may be called, in small letters without signs, the best name first.
 */
export function createColumns<Field extends string>(
  names: Readonly<Record<Field, readonly string[]>>,
): Columns<Field> {
  const meanings = new Map<string, { readonly field: Field; readonly rank: number }>();
  for (const field of Object.keys(names) as Field[]) {
    for (const [rank, name] of names[field].entries()) meanings.set(name, { field, rank });
  }
  const met = new Map<string, { readonly field: Field; readonly rank: number } | undefined>();
  const unknown: string[] = [];
  const meaningOf = (name: string) => {
    if (met.has(name)) return met.get(name);
    const meaning = meanings.get(foldColumn(name));
    // Lines of JSON may each have names of their own.
    if (meaning === undefined && unknown.length >= unknownMax) return undefined;
    if (meaning === undefined) unknown.push(name);
    met.set(name, meaning);
    return meaning;
  };
  return {
    fieldOf: (name) => meaningOf(name)?.field,
    pick: ({ cells }) => {
      const picked: Partial<Record<Field, Cell>> = {};
      const ranks: Partial<Record<Field, number>> = {};
      for (const [name, cell] of cells) {
        const meaning = meaningOf(name);
        if (meaning === undefined || meaning.rank > (ranks[meaning.field] ?? meaning.rank))
          continue;
        ranks[meaning.field] = meaning.rank;
        picked[meaning.field] = cell;
      }
      return picked;
    },
    unknown: () => unknown,
  };
}
