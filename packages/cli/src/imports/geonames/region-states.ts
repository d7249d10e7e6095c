import { readFileSync } from "node:fs";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { programFolder } from "@wfh/server/lib/program-folder.ts";
import { type NameLetters, toNameLetters } from "../region-names.ts";
import { isWholeCountry } from "../standard-places.ts";
import { StateMaker } from "../state-maker.ts";
import type { CollectedRows, CountryRows, Region } from "./collect-rows.ts";

/** ISO 3166-2 suffixes of regions; empty for one that is known to be no state of the country. */
export interface RegionTable {
  /** By country (alpha-2) and admin1 code of GeoNames. */
  findByCode(country: string, code: string): string | undefined;
  /** By the name to the letter, where the code is missing or wrong. */
  findByName(country: string, name: string): string | undefined;
}

/** Lines of country, code or `=name`, suffix or `-`; made by `scripts/geonames-regions.ts`. */
const file = new URL("data/geonames-regions.tsv", programFolder);

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

/** A region of GeoNames that is no state of ISO 3166-2. */
export interface UnmappedState extends Pick<Region, "code" | "name" | "rows"> {
  /** Id of the state that was made for it. */
  readonly stateId: number;
}

/** States of all regions of an import. */
export class RegionStates {
  readonly #statesOf: ReadonlyMap<number, readonly State[]>;
  readonly #maker: StateMaker;
  readonly #table = openRegionTable();
  readonly #regions: readonly Region[];
  readonly #stateOf = new Map<Region, State>();

  constructor(collected: CollectedRows, known: readonly State[]) {
    this.#statesOf = Map.groupBy(known, ({ country }) => country.id);
    this.#maker = new StateMaker(known);
    this.#regions = collected.regions;
    const regionsOf = Map.groupBy(collected.regions, ({ file }) => file);
    for (const { country, files } of collected.listCountries()) {
      for (const file of files) {
        const regions = regionsOf.get(file) ?? [];
        // The whole file of a territory is one state.
        const states =
          file.code === country.code
            ? this.#findStates(country, regions)
            : regions.map(() => this.findBySuffix(country, file.code));
        for (const [at, state] of states.entries()) {
          const region = regions[at];
          if (region !== undefined) this.#stateOf.set(region, state);
        }
      }
    }
  }

  /** States that were not known: placeholders of countries, regions that are not in ISO 3166-2. */
  get made(): readonly State[] {
    return this.#maker.made;
  }

  stateOf(region: Region): State {
    const state = this.#stateOf.get(region);
    if (state === undefined) throw new RangeError(`Region ${region.name} has no state`);
    return state;
  }

  /** Regions of a country that are in no state of ISO 3166-2. */
  listUnmapped({ files }: CountryRows): readonly UnmappedState[] {
    return this.#regions.flatMap((region) => {
      const { code, name, rows } = region;
      const state = this.stateOf(region);
      const isUnmapped = state.abbreviation === "" && !isWholeCountry(state);
      return isUnmapped && files.includes(region.file)
        ? [{ code, name, stateId: state.id, rows }]
        : [];
    });
  }

  /**
   * Finds the states of a country's regions. Decision 0032:
   *
   * 1. the table has the name to the letter;
   * 2. the state that the code has in ISO, or by the table, where its name agrees;
   * 3. the only state of that name;
   * 4. the numbering that the names suggest for this file, ISO or the table; by default the table;
   * 5. a code with letters that ISO has;
   * 6. the country's placeholder, for a region without a name, or named or coded as the country;
   * 7. a new state.
   */
  #findStates(country: Country, regions: readonly Region[]): readonly State[] {
    const table = this.#table;
    const maker = this.#maker;
    // States made by an earlier import are found by the maker, and reported as unmapped again.
    const known = (this.#statesOf.get(country.id) ?? []).filter((state) => {
      return state.active && state.abbreviation !== "";
    });
    const bySuffix = new Map(known.map((state) => [state.abbreviation, state]));
    const findByName = createNameIndex(known);
    const suffixOf = ({ code }: Region) =>
      code === "" ? undefined : table.findByCode(country.code, code);
    const ofSuffix = (suffix: string, name: string) =>
      bySuffix.get(suffix) ?? maker.makeIso(country, suffix, name);

    const named = regions.map((region): State | undefined => {
      const candidates = [bySuffix.get(region.code), bySuffix.get(suffixOf(region) ?? "")];
      const agreeing = candidates.find((state) => state && agree(region.name, state.name));
      return agreeing ?? findByName(region.name);
    });
    const isIsoNumbering = countIsoVotes(regions, named, suffixOf) > 0;

    function findByCode(region: Region): State | undefined {
      const ofIso = bySuffix.get(region.code);
      if (isIsoNumbering && ofIso !== undefined) return ofIso;
      const suffix = suffixOf(region);
      if (suffix !== undefined) return ofSuffix(suffix, region.name);
      return /[A-Z]/.test(region.code) ? ofIso : undefined;
    }

    function make(region: Region): State {
      const { code, name } = region;
      const isCountry = name === "" || code === country.code || agree(name, country.name);
      return isCountry ? maker.makePlaceholder(country) : maker.makeUnmapped(country, region);
    }

    return regions.map((region, number) => {
      const suffix = table.findByName(country.code, region.name);
      if (suffix) return ofSuffix(suffix, region.name);
      // An empty suffix: known to be no state, whatever its code.
      const state = suffix === "" ? undefined : (named[number] ?? findByCode(region));
      return state ?? make(region);
    });
  }

  /** The state of a country with an abbreviation. */
  findBySuffix(country: Country, suffix: string): State {
    const states = this.#statesOf.get(country.id) ?? [];
    const state = states.find(({ abbreviation }) => abbreviation === suffix);
    return state ?? this.#maker.makeIso(country, suffix, suffix);
  }
}

/** Named regions that have their state's code in ISO, minus those that have it in the table. */
function countIsoVotes(
  regions: readonly Region[],
  named: readonly (State | undefined)[],
  findSuffix: (region: Region) => string | undefined,
): number {
  return regions.reduce((votes, region, number) => {
    const suffix = named[number]?.abbreviation;
    if (suffix === undefined) return votes;
    return votes + Number(region.code === suffix) - Number(findSuffix(region) === suffix);
  }, 0);
}

function agree(name: string, other: string): boolean {
  const letters = toNameLetters(other);
  return toNameLetters(name).some((a) => letters.some((b) => a.all === b.all || hasSameCore(a, b)));
}

function hasSameCore(a: NameLetters, b: NameLetters): boolean {
  return a.core !== "" && a.core === b.core;
}

/** Finds the only state of a name, preferring an exact match to a similar one. */
function createNameIndex(states: readonly State[]): (name: string) => State | undefined {
  const all = states.map((state) => ({ state, letters: toNameLetters(state.name) }));
  return (name) => {
    const letters = toNameLetters(name);
    const findOnly = (isSame: (a: NameLetters, b: NameLetters) => boolean) => {
      const found = all.filter((other) =>
        other.letters.some((a) => letters.some((b) => isSame(a, b))),
      );
      return found.length === 1 ? found[0]?.state : undefined;
    };
    return findOnly((a, b) => a.all === b.all) ?? findOnly(hasSameCore);
  };
}
