import { editDistance, findNear } from "../../lib/edit-distance.ts";

/** Names that are offered at most: what a message can say in one line. */
const offeredMax = 5;

/**
 * Names that a text may stand for, likeliest first, at most five: those that begin with it, then
 * those a few edits away. Ignores case and accents.
 */
export function findNearNames(text: string, names: Iterable<string>): readonly string[] {
  // A third of what was typed may be wrong; in a code of two letters, one.
  const most = Math.max(1, Math.floor(toLetters(text).length / 3));
  const nearness = { distanceMax: () => most, fold: toLetters, distance: distanceTo };
  return findNear(text, names, nearness).slice(0, offeredMax);
}

/**
 * Finds the item of a name, in any case, preferring an item's earlier names; and similar items.
 *
 * @param namesOf names of an item, which may be empty.
 */
export function findNamed<Item>(
  items: readonly Item[],
  text: string,
  namesOf: (item: Item) => readonly string[],
) {
  const wanted = toLetters(text);
  const ranked = items
    .map((item) => ({ item, rank: namesOf(item).findIndex((name) => toLetters(name) === wanted) }))
    .filter(({ rank }) => rank !== -1 && wanted !== "")
    .toSorted((a, b) => a.rank - b.rank);
  const similar = findNearNames(text, items.flatMap(namesOf));
  const near = items.filter((item) => namesOf(item).some((name) => similar.includes(name)));
  return { found: ranked[0]?.item, near };
}

/** A name without case, accents and surrounding blanks, to be compared. */
export function toLetters(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").trim().toUpperCase();
}

function distanceTo(wanted: string, name: string): number {
  if (wanted === "") return Number.POSITIVE_INFINITY;
  return name.startsWith(wanted) ? 0 : editDistance(wanted, name);
}
