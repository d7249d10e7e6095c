/** Names that are offered at most: what a message can say in one line. */
const offeredMax = 5;

/**
 * The names that somebody may have meant, the likeliest first, five at most: those that begin with the text, then
 * those that are a few slips away from it. Case and accents do not count.
 */
export function findNearNames(text: string, names: Iterable<string>): readonly string[] {
  const wanted = toLetters(text);
  // A third of what was typed may be wrong; in a code of two letters, one.
  const slipsMax = Math.max(1, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, slips: slipsTo(wanted, toLetters(name)) }))
    .filter(({ slips }) => slips <= slipsMax)
    .sort((a, b) => a.slips - b.slips)
    .slice(0, offeredMax)
    .map(({ name }) => name);
}

/** A name without case, accents and surrounding blanks, to be compared. */
export function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").trim().toUpperCase();
}

function slipsTo(wanted: string, name: string): number {
  if (wanted === "") return Number.POSITIVE_INFINITY;
  return name.startsWith(wanted) ? 0 : countSlips(wanted, name);
}

/** Letters to be put in, left out, changed, or swapped with their neighbours, to make one text of the other. */
function countSlips(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, i) => i),
  ];
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
