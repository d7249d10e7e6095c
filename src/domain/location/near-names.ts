import { editDistance, findNear } from "../../lib/edit-distance.ts";

/** Names that are offered at most: what a message can say in one line. */
const offeredMax = 5;

/**
 * The names that a text may stand for, the likeliest first, five at most: those that begin with the text, then those that are a few edits
 * away from it. Case and accents do not count.
 */
export function findNearNames(text: string, names: Iterable<string>): readonly string[] {
  // A third of what was typed may be wrong; in a code of two letters, one.
  const most = Math.max(1, Math.floor(toLetters(text).length / 3));
  const nearness = { distanceMax: () => most, fold: toLetters, distance: distanceTo };
  return findNear(text, names, nearness).slice(0, offeredMax);
}

/** A name without case, accents and surrounding blanks, to be compared. */
export function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").trim().toUpperCase();
}

function distanceTo(wanted: string, name: string): number {
  if (wanted === "") return Number.POSITIVE_INFINITY;
  return name.startsWith(wanted) ? 0 : editDistance(wanted, name);
}
