import type { StringTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import { type CollectedRegion, type CountryRows, cedexBit } from "./collect-rows.ts";
import { type CountryRule, countryRules, type RuleRow, territoryRules } from "./country-rules.ts";

/** A row of a postal code as it takes part in the choice of places. Texts and states are numbers. */
export interface Candidate {
  readonly city: number;
  readonly state: number;
  /** Names of the second and the third level. */
  readonly admin2: number;
  readonly admin3: number;
  /** See `packCoordinates`. */
  readonly coordinates: number;
  /** Whether it only counts where the postal code has no ordinary row. */
  readonly isFallback: boolean;
}

/** What rows are read with. */
export interface CandidateSources {
  readonly texts: StringTable;
  readonly regions: readonly CollectedRegion[];
  readonly stateOfRegion: (region: number) => number;
  /** State of the same country by its abbreviation. */
  readonly stateOfSuffix: (suffix: string) => number;
}

/** Creates a reader for the rows of a country, by its rules. */
export function createCandidateReader(
  rows: CountryRows,
  { texts, regions, stateOfRegion, stateOfSuffix }: CandidateSources,
) {
  const { code } = rows.country;
  const rules = new Map(rows.files.map((file) => [file, findRule(file.code, code)]));
  const hasRules = [...rules.values()].some((rule) => rule !== undefined);
  const regionOf = (row: number) => regions[rows.regionOf.at(row) % cedexBit];
  const toRuleRow = (row: number): RuleRow => {
    const key = rows.keyOf.at(row);
    const { code: admin1Code = "", name: admin1Name = "" } = regionOf(row) ?? {};
    return {
      key: unpackKey(rows.keys.firstOf(key), rows.keys.secondOf(key)),
      place: texts.at(rows.placeOf.at(row)),
      admin1Code,
      admin1Name,
      admin2Name: texts.at(rows.admin2Of.at(row)),
    };
  };

  return {
    /** Whether no rule is about a row: its city is its place, its state that of its region. */
    isPlain: (row: number) => !hasRules && rows.regionOf.at(row) < cedexBit,
    read(row: number): Candidate {
      const region = rows.regionOf.at(row);
      const plain: Candidate = {
        city: rows.placeOf.at(row),
        state: stateOfRegion(region % cedexBit),
        admin2: rows.admin2Of.at(row),
        admin3: rows.admin3Of.at(row),
        coordinates: rows.coordinatesOf.at(row),
        isFallback: region >= cedexBit,
      };
      const file = hasRules ? regionOf(row)?.file : undefined;
      const rule = file && rules.get(file);
      if (rule === undefined) return plain;
      const text = toRuleRow(row);
      const city = rule.toCity?.(text);
      const suffix = rule.findState?.(text);
      return {
        ...plain,
        city: city === undefined ? plain.city : texts.add(city),
        state: suffix === undefined ? plain.state : stateOfSuffix(suffix),
        isFallback: plain.isFallback || rule.isFallback?.(text) === true,
      };
    },
  };
}

/** The rule of a file; that of a territory where its rows are of the US. */
function findRule(file: string, country: string): CountryRule | undefined {
  return file === country ? countryRules[file] : territoryRules[file];
}
