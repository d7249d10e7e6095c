import { correctCityName } from "@wfh/cli/imports/geonames/united-states.ts";
import { readSourceRows, sourceFiles } from "./source-files.ts";

/** A ZIP code as the Postal Service gave it: city in capitals, state by its abbreviation. */
export interface UspsZip {
  readonly zip: string;
  readonly city: string;
  readonly state: string;
}

/** Reads the list of the Postal Service, by ZIP code. */
export function readUspsList(): readonly UspsZip[] {
  return readSourceRows(sourceFiles.usps).map(([zip = "", city = "", state = ""]) => {
    return { zip, city, state };
  });
}

/** Writes a city in capitals as the other sources do: `"LAKE WORTH BEACH"`, `"COOK STA"`. */
export function toCityName(capitals: string): string {
  const small = capitals.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return correctCityName(small);
}

/** True when two names of a city differ in case, punctuation, blanks and abbreviations at most. */
export function isSameCity(one: string, other: string): boolean {
  return toComparedName(one) === toComparedName(other);
}

function toComparedName(name: string): string {
  return toCityName(name.toUpperCase())
    .replace(/[^A-Za-z0-9]/g, "")
    .toUpperCase();
}
