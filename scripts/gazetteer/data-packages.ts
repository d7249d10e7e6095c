import type { PackageName } from "./packages.ts";

/** A package that data comes from. */
interface DataPackage {
  readonly packageName: PackageName;
  readonly gives: string;
  readonly licence: string;
}

/** All packages that countries and states come from. */
export const dataPackages: readonly DataPackage[] = [
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
