import type { Place } from "../client/api-values.ts";

/** A field that is filled from a place. */
export type PlaceRole = "country" | "state" | "city";

/** The names of a place, as look-ups and searches have them. */
export type NamedPlace = Pick<Place, PlaceRole>;

/** All names by which a form may call the city, state or country of a place. */
function namesOf(
  { city, state, country }: NamedPlace,
  role: PlaceRole,
): readonly (string | number)[] {
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
    .replace(/\b(?:(s)aint|(f)ort|(m)ount)(e?)\b/g, "$1$2$3t$4")
    .replace(/[\s-]+/g, " ")
    .trim();
}

/** Splits a text into names: `"NY - New York"`, `"New York (NY)"`. */
export function partsOf(text: string): readonly string[] {
  return text.split(/\s[-–—]\s|[(),:|/]/);
}

/** True when a text is one or more names of a place. */
export function isNameOf(text: string, place: NamedPlace, role: PlaceRole): boolean {
  const names = namesOf(place, role).map(fold);
  const isName = (part: string) => names.includes(fold(part));
  return (
    fold(text) !== "" &&
    (isName(text) || partsOf(text).every((part) => !fold(part) || isName(part)))
  );
}
