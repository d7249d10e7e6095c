import type { Country, State } from "../../../domain/location/place.ts";
import { createStateMaker } from "../state-maker.ts";
import type { CollectedRegion, CollectedRows, CountryFile, CountryRows } from "./collect-rows.ts";
import { openRegionTable } from "./region-table.ts";
import type { CountryReport, StateRule, UnmappedState } from "./report.ts";
import { type FoundState, findStates } from "./state-finder.ts";

/** States of all regions of an import. A state is its number in the list. */
export interface RegionStates {
  readonly list: readonly State[];
  /** Those that were not known. */
  readonly made: readonly State[];
  /** States for the rows of a country. */
  ofCountry(country: Country): {
    readonly stateOfRegion: (region: number) => number;
    readonly stateOfSuffix: (suffix: string) => number;
    readonly isListed: (state: number) => boolean;
  };
  /** Id of the state with an abbreviation. */
  idOfSuffix(country: Country, suffix: string): number;
  /** How the states of a country's regions were found. */
  report(rows: CountryRows): Pick<CountryReport, "stateRules" | "unmappedStates">;
}

/** Finds the states of all regions that were collected. */
export function createRegionStates(
  collected: Pick<CollectedRows, "regions" | "countries">,
  known: readonly State[],
): RegionStates {
  const { regions, countries } = collected;
  const maker = createStateMaker(known);
  const table = openRegionTable();
  const statesOf = Map.groupBy(known, ({ country }) => country.id);
  const list: State[] = [];
  const numbers = new Map<State, number>();

  function numberOf(state: State): number {
    const number = numbers.get(state) ?? list.push(state) - 1;
    numbers.set(state, number);
    return number;
  }

  function findBySuffix(country: Country, suffix: string): State {
    const states = statesOf.get(country.id) ?? [];
    const state = states.find(({ abbreviation }) => abbreviation === suffix);
    return state ?? maker.makeIso(country, suffix, suffix);
  }

  function findAll(country: Country, file: CountryFile): readonly FoundState[] {
    const ofFile = regionsOf.get(file) ?? [];
    const states = statesOf.get(country.id) ?? [];
    if (file.code === country.code) return findStates(ofFile, { country, states, table, maker });
    // The whole file is one state.
    const state = findBySuffix(country, file.code);
    return ofFile.map(() => ({ state, rule: "fixed" }));
  }

  const regionsOf = Map.groupBy(regions, ({ file }) => file);
  const found = new Map<CollectedRegion, FoundState>();
  for (const { country, files } of countries) {
    for (const file of files) {
      const states = findAll(country, file);
      for (const [number, region] of (regionsOf.get(file) ?? []).entries()) {
        const state = states[number];
        if (state !== undefined) found.set(region, state);
      }
    }
  }
  const numbersOfRegions = regions.map((region) => {
    const state = found.get(region)?.state;
    return state === undefined ? -1 : numberOf(state);
  });

  return {
    list,
    made: maker.made,
    ofCountry: (country) => ({
      stateOfRegion: (region) => numbersOfRegions[region] ?? -1,
      stateOfSuffix: (suffix) => numberOf(findBySuffix(country, suffix)),
      isListed: (state) => list[state]?.abbreviation !== "",
    }),
    idOfSuffix: (country, suffix) => findBySuffix(country, suffix).id,
    report: ({ files }) =>
      summarize(
        files.flatMap((file) => regionsOf.get(file) ?? []),
        found,
      ),
  };
}

function summarize(
  regions: readonly CollectedRegion[],
  found: ReadonlyMap<CollectedRegion, FoundState>,
): Pick<CountryReport, "stateRules" | "unmappedStates"> {
  const stateRules: Partial<Record<StateRule, number>> = {};
  const unmappedStates: UnmappedState[] = [];
  for (const region of regions) {
    const { code, name, rows } = region;
    const { state, rule } = found.get(region) ?? {};
    if (state === undefined || rule === undefined) continue;
    stateRules[rule] = (stateRules[rule] ?? 0) + rows;
    if (rule === "unmapped") unmappedStates.push({ code, name, stateId: state.id, rows });
  }
  return { stateRules, unmappedStates };
}
