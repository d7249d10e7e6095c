import { editDistance } from "../../lib/edit-distance.ts";

/** Names that are offered at most: what a message can say in one line. */
const offeredMax = 5;

/**
 * The names that a text may stand for, the likeliest first, five at most: those that begin with the text, then those that are a few edits
 * away from it. Case and accents do not count.
 */
export function findNearNames(text: string, names: Iterable<string>): readonly string[] {
  const wanted = toLetters(text);
  // A third of what was typed may be wrong; in a code of two letters, one.
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, distance: distanceTo(wanted, toLetters(name)) }))
    .filter(({ distance }) => distance <= distanceMax)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, offeredMax)
    .map(({ name }) => name);
}

/** A name without case, accents and surrounding blanks, to be compared. */
export function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").trim().toUpperCase();
}

function distanceTo(wanted: string, name: string): number {
  if (wanted === "") return Number.POSITIVE_INFINITY;
  return name.startsWith(wanted) ? 0 : editDistance(wanted, name);
}
