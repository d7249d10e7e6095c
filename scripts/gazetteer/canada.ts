import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { readGeoNames } from "@wfh/cli/imports/geonames/import-geonames.ts";
import type { StandardPlaces } from "@wfh/cli/imports/standard-places.ts";
import { InputFile } from "@wfh/cli/rows/input-file.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";

/** The GeoNames file of Canada as it is in CA.zip, of the day in `sources.ts`. */
const file = new URL("canada-fsa.tsv", import.meta.url);

/**
 * Reads the places of Canada's forward sortation areas, the first three characters of postal codes,
 * as an import of the same file does.
 */
export async function readCanada(standard: StandardPlaces): Promise<readonly PostalCodePlace[]> {
  // Of two areas the file has a whole postal code, of one of them nothing else.
  const areas = readFileSync(file, "utf8").replace(/^(CA\t\w{3}) \w{3}\t/gm, "$1\t");
  const input = InputFile.fromStream("canada-fsa.tsv", Readable.from([areas]));
  const read = await readGeoNames([input], standard);
  return [...read.postalCodes];
}
