import { stateAliases } from "./countries/state-aliases.ts";
import { toLetters } from "./near-names.ts";
import type { State } from "./place.ts";

/** Short forms of words. The last word is not expanded: it may be the beginning of another. */
const shortForms: Readonly<Record<string, string>> = {
  FT: "FORT",
  MT: "MOUNT",
  ST: "SAINT",
  STE: "SAINTE",
};

/** Letters that no accent makes, as people type them without. */
const otherLetters: Readonly<Record<string, string>> = { Æ: "AE", Ø: "O", Œ: "OE", Ł: "L", Đ: "D" };

/**
 * Letters and digits of a city's or state's name, to be compared: without case, accents, blanks and
 * punctuation, and with the whole words for `St.`, `Ste.`, `Ft.` and `Mt.`.
 */
export function foldPlaceName(name: string): string {
  return toLetters(name)
    .replace(/[ÆØŒŁĐ]/g, (letter) => otherLetters[letter] ?? letter)
    .replace(/['’.]/g, "")
    .replace(/(?<![\p{L}\p{N}])(?:FT|MT|STE?)(?=[ -]+\p{L})/gu, (word) => shortForms[word] ?? word)
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Folded names of states: a search compares all of them. */
const stateNames = new WeakMap<State, readonly string[]>();

/** Folded abbreviation of a state, its name, and other names that forms use for it. */
export function listStateNames(state: State): readonly string[] {
  const known = stateNames.get(state);
  if (known !== undefined) return known;
  const { abbreviation, name, country } = state;
  const names = [abbreviation, name, ...stateAliases(country.code, abbreviation)];
  const folded = names.map(foldPlaceName);
  stateNames.set(state, folded);
  return folded;
}
