import type { Gazetteer } from "../../src/domain/location/gazetteer.ts";

/** Numbers below a most, the same in every run (Numerical Recipes, §7.1). */
export function createNumbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** A text with one letter missing, added, replaced, or swapped with the next. */
export function misspell(text: string, below: (most: number) => number): string {
  const at = below(text.length);
  const letter = String.fromCharCode(97 + below(26));
  const edits = [
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + letter + text.slice(at + 1),
    () =>
      text.slice(0, at) +
      text
        .slice(at, at + 2)
        .split("")
        .reverse()
        .join("") +
      text.slice(at + 2),
  ];
  return edits[below(edits.length)]?.() ?? text;
}

/** All names of cities from a length on, in order. */
export function listCityNames(
  data: Pick<Gazetteer, "listKeys" | "listPlaces">,
  lengthMin: number,
): readonly string[] {
  const names = new Set<string>();
  for (const key of data.listKeys()) for (const { city } of data.listPlaces(key)) names.add(city);
  return [...names].filter((name) => name.length >= lengthMin).sort();
}
