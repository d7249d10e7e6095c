import { readFileSync } from "node:fs";

/** Suffix of the ISO 3166-2 code of a region; empty when it is known to be no state of that country. */
export interface RegionTable {
  /** By country (alpha-2) and admin1 code of GeoNames. */
  findByCode(country: string, code: string): string | undefined;
  /** By the name to the letter, where the code is missing or wrong. */
  findByName(country: string, name: string): string | undefined;
}

/** Lines of country, code or `=name`, suffix or `-`; made by `scripts/geonames-regions.ts`. */
const file = new URL("../../../../data/geonames-regions.tsv", import.meta.url);

/** Opens the committed table; decision 0032 says where it is from. */
export function openRegionTable(): RegionTable {
  const suffixes = new Map<string, string>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [country, region, suffix] = line.split("\t");
    if (suffix !== undefined) suffixes.set(`${country}\t${region}`, suffix === "-" ? "" : suffix);
  }
  return {
    findByCode: (country, code) => suffixes.get(`${country}\t${code}`),
    findByName: (country, name) => suffixes.get(`${country}\t=${name}`),
  };
}
