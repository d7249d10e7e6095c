/** Most edits between a name and what was written for it. */
const distanceMax = 2;
/** Letters of a name per edit: of a short name most letters are the prefix `WFH_`, which proves nothing. */
const lettersPerEdit = 6;

/** The known name that a misspelled one most likely stands for; undefined when none is near. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(written.toUpperCase(), name) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.min(distanceMax, Math.floor(name.length / lettersPerEdit)),
    )
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** Letters to add, drop, replace or swap with their neighbour to make one text of the other. */
function distanceOf(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const best = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + cost,
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY,
      );
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
