/**
 * The fewest letters to insert, delete, replace, or swap with their neighbour to turn one text
 * into the other (optimal string alignment); infinite where they are more than `most`. Takes time
 * in proportion to the first text and `most`, or to both texts, so callers bound them.
 */
export function editDistance(from: string, to: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY;
  const distance = lastRow(from, to, most)?.[to.length] ?? Number.POSITIVE_INFINITY;
  return distance <= most ? distance : Number.POSITIVE_INFINITY;
}

/** The edit distance of a text to the nearest beginning of another, likewise. */
export function beginningDistance(from: string, to: string, most: number): number {
  const row = lastRow(from, to, most);
  if (row === undefined) return Number.POSITIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  const end = Math.min(to.length, from.length + most);
  for (let j = Math.max(0, from.length - most); j <= end; j += 1) {
    least = Math.min(least, row[j] ?? far);
  }
  return least <= most ? least : Number.POSITIVE_INFINITY;
}

/** More edits than any bound that is a number. */
const far = 0x3fff_ffff;

/** Letters of two texts and the most edits between them. */
interface Compared {
  readonly from: string;
  readonly to: string;
  readonly most: number;
}

/** The last three rows of a table of distances, which all calls share: to allocate takes longer. */
let rows = createRows(64);

function createRows(length: number) {
  return Array.from({ length: 3 }, () => new Int32Array(length));
}

function rowOf(number: number): Int32Array {
  return rows[number % 3] as Int32Array;
}

/**
 * Distances of a text to the beginnings of another, by their lengths. Only those lengths count that
 * differ by `most` at most; undefined where each of them has a greater distance.
 */
function lastRow(from: string, to: string, most: number): Int32Array | undefined {
  if (rowOf(0).length < to.length + 2) rows = createRows(2 * to.length + 2);
  const row = rowOf(0);
  const compared = { from, to, most };
  for (let j = 0; j <= to.length && j <= most + 1; j += 1) row[j] = j;
  for (let i = 1; i <= from.length; i += 1) if (fillRow(i, compared) > most) return undefined;
  return rowOf(from.length);
}

/** Fills the row of the first `i` letters from the two before it; returns its least distance. */
function fillRow(i: number, { from, to, most }: Compared): number {
  const row = rowOf(i);
  const last = rowOf(i + 2);
  const beforeLast = rowOf(i + 1);
  const first = Math.max(1, i - most);
  const end = Math.min(to.length, i + most);
  const letter = from.charCodeAt(i - 1);
  // NaN, which no letter is, before the first letter.
  const letterBefore = from.charCodeAt(i - 2);
  let left = first === 1 ? i : far;
  let least = left;
  row[first - 1] = left;
  for (let j = first; j <= end; j += 1) {
    const other = to.charCodeAt(j - 1);
    const replaced = (last[j - 1] ?? far) + (letter === other ? 0 : 1);
    left = Math.min(replaced, (last[j] ?? far) + 1, left + 1);
    if (letterBefore === other && letter === to.charCodeAt(j - 2)) {
      left = Math.min(left, (beforeLast[j - 2] ?? far) + 1);
    }
    row[j] = left;
    least = Math.min(least, left);
  }
  row[end + 1] = far;
  return least;
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
