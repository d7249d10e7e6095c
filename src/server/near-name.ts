import { editDistance } from "../lib/edit-distance.ts";

/** Most edits between a name and what was written for it. */
const distanceMax = 2;
/** Letters of a name per edit: of a short name most letters are the prefix `WFH_`, which proves nothing. */
const lettersPerEdit = 6;

/** The known name that a misspelled one most likely stands for; undefined when none is near. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(written.toUpperCase(), name) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.min(distanceMax, Math.floor(name.length / lettersPerEdit)),
    )
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}
