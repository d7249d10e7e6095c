import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { readGeoNames } from "@wfh/cli/imports/geonames/import-geonames.ts";
import type { StandardPlaces } from "@wfh/cli/imports/standard-places.ts";
import { InputFile } from "@wfh/cli/rows/input-file.ts";
import type { GazetteerSource } from "@wfh/server/domain/location/gazetteer.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";

const folder = new URL("../../data/sources/", import.meta.url);

/** A file of postal codes in `data/sources/`, whose README says more. */
interface SourceFile {
  readonly name: string;
  /** Day or month of the data, or version of the package that it was taken from. */
  readonly version: string;
  readonly gives: string;
  readonly licence: string;
}

/** Day of both files of GeoNames. Set it with every update of them. */
const geoNamesDate = "2026-03-30";

/** All files of postal codes, the most important first. */
export const sourceFiles = {
  us: {
    name: "geonames-us.tsv.gz",
    version: geoNamesDate,
    gives: "GeoNames postal codes of the US and its territories",
    licence: "CC BY 4.0",
  },
  usps: {
    name: "usps-city-state.tsv.gz",
    version: "2023-08",
    gives: "city and state of ZIP codes as the Postal Service gave them",
    licence: "MIT",
  },
  zipcodes: {
    name: "zipcodes-us.tsv",
    version: "8.0.0",
    gives: "more military and retired ZIP codes",
    licence: "BSD-3-Clause",
  },
  decisions: {
    name: "us-decisions.tsv",
    version: "2026-11",
    gives: "ZIP codes decided by hand",
    licence: "MIT",
  },
  canada: {
    name: "geonames-ca.tsv",
    version: geoNamesDate,
    gives: "GeoNames postal codes of Canada: forward sortation areas",
    licence: "CC BY 4.0",
  },
} as const satisfies Readonly<Record<string, SourceFile>>;

/** The built-in data as the artifact names it, without a build time: equal files, equal bytes. */
export const builtInSources: readonly (GazetteerSource & { readonly dataDate: string })[] = [
  {
    name: "GeoNames US.txt, USPS 2023-08, zipcodes 8.0.0",
    kind: "built-in",
    importedAt: null,
    dataDate: geoNamesDate,
    countries: ["US"],
  },
  {
    name: "GeoNames CA.txt",
    kind: "built-in",
    importedAt: null,
    dataDate: geoNamesDate,
    countries: ["CA"],
  },
];

/** Rows of a file, as their columns. */
export function readSourceRows({ name }: SourceFile): readonly (readonly string[])[] {
  const lines = readSourceText(name).split("\n");
  return lines.filter((line) => line !== "").map((line) => line.split("\t"));
}

/**
 * Reads the places of a file of GeoNames as an import does: built-in and imported data are equal.
 */
export async function readGeoNamesFile(
  { name }: SourceFile,
  standard: StandardPlaces,
): Promise<readonly PostalCodePlace[]> {
  // Of two areas of Canada the file has a whole postal code, of one of them nothing else.
  const text = readSourceText(name).replace(/^(CA\t\w{3}) \w{3}\t/gm, "$1\t");
  const input = InputFile.fromStream(name, Readable.from([text]));
  return (await readGeoNames([input], standard)).postalCodes;
}

function readSourceText(name: string): string {
  const bytes = readFileSync(new URL(name, folder));
  return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}
