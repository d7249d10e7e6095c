import type { StringTable } from "../../format/intern-tables.ts";
import { unpackKey } from "../../format/layout.ts";
import {
  type CollectedRegion,
  type CountryRows,
  cedexBit,
  type TextReader,
} from "./collect-rows.ts";
import { type CountryRule, countryRules, type RuleRow, territoryRules } from "./country-rules.ts";
import type { Candidate } from "./pick.ts";
import type { DropReason } from "./report.ts";

/** A row as it takes part in the choice among the places of its postal code. */
export interface ReadCandidate extends Candidate {
  /** Why it only counts where the postal code has no other; undefined for an ordinary row. */
  readonly weakness: DropReason | undefined;
}

/** What rows are read with. States are numbers of a list that the caller keeps. */
export interface CandidateSources {
  readonly texts: StringTable;
  readonly textOf: TextReader;
  readonly regions: readonly CollectedRegion[];
  readonly stateOfRegion: (region: number) => number;
  /** State of the same country by its abbreviation. */
  readonly stateOfSuffix: (suffix: string) => number;
}

/** Reads the rows of a country, with the rules that are peculiar to it. */
export interface CandidateReader {
  /** Whether no rule is about a row: its city is its place, its state that of its region. */
  isPlain(row: number): boolean;
  read(row: number): ReadCandidate;
}

/** Creates a reader for the rows of a country. */
export function createCandidateReader(
  rows: CountryRows,
  sources: CandidateSources,
): CandidateReader {
  const { texts, regions, stateOfRegion, stateOfSuffix } = sources;
  const { code } = rows.country;
  const rulesOfFiles = new Map(rows.files.map((file) => [file, findRule(file.code, code)]));
  const text = createRowText(rows, sources);
  const hasRules = [...rulesOfFiles.values()].some((rule) => rule !== undefined);

  function readPlain(row: number): ReadCandidate {
    const region = rows.regionOf.at(row);
    return {
      city: rows.placeOf.at(row),
      state: stateOfRegion(region % cedexBit),
      admin2: rows.admin2Of.at(row),
      admin3: rows.admin3Of.at(row),
      coordinates: rows.coordinatesOf.at(row),
      weakness: region >= cedexBit ? "cedex" : undefined,
    };
  }

  return {
    isPlain: (row) => !hasRules && rows.regionOf.at(row) < cedexBit,
    read(row) {
      const plain = readPlain(row);
      const file = hasRules ? regions[rows.regionOf.at(row) % cedexBit]?.file : undefined;
      const rule = file && rulesOfFiles.get(file);
      if (rule === undefined) return plain;
      text.row = row;
      const city = rule.toCity?.(text);
      const suffix = rule.findState?.(text);
      return {
        ...plain,
        city: city === undefined ? plain.city : texts.add(city),
        state: suffix === undefined ? plain.state : stateOfSuffix(suffix),
        weakness: rule.findWeakness?.(text) ?? plain.weakness,
      };
    },
  };
}

/** The rule of a file; that of a territory where its rows are of the US. */
function findRule(file: string, country: string): CountryRule | undefined {
  return file === country ? countryRules[file] : territoryRules[file];
}

/** Rows as text, one after the other: each part is read when it is asked for. */
interface RowText extends RuleRow {
  /** Number of the row that the parts are of. */
  row: number;
}

/** Creates the one object that stands for all rows: there are hundreds of thousands. */
function createRowText(rows: CountryRows, { textOf, regions }: CandidateSources): RowText {
  return {
    row: 0,
    get key() {
      const key = rows.keyOf.at(this.row);
      return unpackKey(rows.keys.firstOf(key), rows.keys.secondOf(key));
    },
    get place() {
      return textOf(rows.placeOf.at(this.row));
    },
    get admin2Name() {
      return textOf(rows.admin2Of.at(this.row));
    },
    get admin1Code() {
      return regions[rows.regionOf.at(this.row) % cedexBit]?.code ?? "";
    },
    get admin1Name() {
      return regions[rows.regionOf.at(this.row) % cedexBit]?.name ?? "";
    },
  };
}
