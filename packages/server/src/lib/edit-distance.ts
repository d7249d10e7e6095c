/**
 * The fewest letters to insert, delete, replace, or swap with their neighbour to turn one text
 * into the other (optimal string alignment). Takes time in proportion to the product of the
 * lengths, so callers bound them. Infinite where the lengths alone differ by more than `most`.
 */
export function editDistance(from: string, to: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return at(last, to.length);
}

/** The measure of a near name. */
export interface Nearness {
  /** Most edits by which a name may differ. */
  readonly distanceMax: (name: string) => number;
  /** Folds texts and names before they are compared. */
  readonly fold?: (text: string) => string;
  /** Distance of a folded name from the folded text; the edit distance without it. */
  readonly distance?: typeof editDistance;
}

/** The names that a text may stand for, the nearest first. */
export function findNear(
  text: string,
  names: Iterable<string>,
  { distanceMax, fold = (given) => given, distance = editDistance }: Nearness,
): readonly string[] {
  const wanted = fold(text);
  return [...new Set(names)]
    .map((name) => {
      const most = distanceMax(name);
      return { name, most, edits: distance(wanted, fold(name), most) };
    })
    .filter(({ edits, most }) => edits <= most)
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
