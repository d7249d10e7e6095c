import type { Place } from "../client/api-values.ts";

/** A field that is filled from a place. */
export type PlaceRole = "country" | "state" | "city";

/** All names by which a form may call the city, state or country of a place. */
function namesOf({ city, state, country }: Place, role: PlaceRole): readonly (string | number)[] {
  if (role === "city") return [city];
  if (role === "country") return [country.code, country.name, country.alias, country.id];
  return [state.code, state.name, `${country.code}-${state.code}`, state.id, ...state.aliases];
}

/** A name without case, accents and punctuation: `"Saint-Jérôme"` equals `"ST JEROME"`. */
export function fold(name: string | number): string {
  return `${name}`
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .replace(/saint\b/g, "st")
    .replace(/[\s-]+/g, " ")
    .trim();
}

/** True when a text is one or more names of a place: `"NY - New York"`, `"New York (NY)"`. */
export function isNameOf(text: string, place: Place, role: PlaceRole): boolean {
  const names = namesOf(place, role).map(fold);
  const isName = (part: string) => names.includes(fold(part));
  const parts = text.split(/\s[-–—]\s|[(),:|/]/);
  return fold(text) !== "" && (isName(text) || parts.every((part) => !fold(part) || isName(part)));
}
