import type { Country, State } from "../../../domain/location/place.ts";
import { StateMaker } from "../state-maker.ts";
import type { CollectedRegion, CollectedRows, CountryFile, CountryRows } from "./collect-rows.ts";
import type { UnmappedState } from "./report.ts";
import { type FoundState, findStates, openRegionTable } from "./state-finder.ts";

/** States of all regions of an import. A state is its number in the list. */
export class RegionStates {
  readonly list: State[] = [];
  readonly #statesOf: ReadonlyMap<number, readonly State[]>;
  readonly #maker: StateMaker;
  readonly #table = openRegionTable();
  readonly #numbers = new Map<State, number>();
  readonly #found = new Map<CollectedRegion, FoundState>();
  readonly #regionsOf: ReadonlyMap<CountryFile, readonly CollectedRegion[]>;
  /** Number of the state of each region. */
  readonly #stateOfRegion: readonly number[];

  /** Finds the states of all regions that were collected. */
  constructor(collected: CollectedRows, known: readonly State[]) {
    this.#statesOf = Map.groupBy(known, ({ country }) => country.id);
    this.#maker = new StateMaker(known);
    this.#regionsOf = Map.groupBy(collected.regions, ({ file }) => file);
    for (const { country, files } of collected.listCountries()) {
      for (const file of files) {
        const regions = this.#regionsOf.get(file) ?? [];
        for (const [at, found] of this.#findAll(country, file, regions).entries()) {
          const region = regions[at];
          if (region !== undefined) this.#found.set(region, found);
        }
      }
    }
    this.#stateOfRegion = collected.regions.map((region) => {
      const state = this.#found.get(region)?.state;
      return state === undefined ? -1 : this.#numberOf(state);
    });
  }

  /** States that were not known: placeholders of countries, regions that are not in ISO 3166-2. */
  get made(): readonly State[] {
    return this.#maker.made;
  }

  /** Finds states for the rows of a country. */
  ofCountry(country: Country) {
    return {
      stateOfRegion: (region: number) => this.#stateOfRegion[region] ?? -1,
      stateOfSuffix: (suffix: string) => this.#numberOf(this.#findBySuffix(country, suffix)),
      isListed: (state: number) => this.list[state]?.abbreviation !== "",
    };
  }

  /** Id of the state with an abbreviation. */
  idOfSuffix(country: Country, suffix: string): number {
    return this.#findBySuffix(country, suffix).id;
  }

  /** Regions of a country that are in no state of ISO 3166-2. */
  listUnmapped({ files }: CountryRows): readonly UnmappedState[] {
    return files
      .flatMap((file) => this.#regionsOf.get(file) ?? [])
      .flatMap((region) => {
        const { code, name, rows } = region;
        const found = this.#found.get(region);
        return found?.isUnmapped ? [{ code, name, stateId: found.state.id, rows }] : [];
      });
  }

  #findAll(
    country: Country,
    file: CountryFile,
    regions: readonly CollectedRegion[],
  ): readonly FoundState[] {
    const states = this.#statesOf.get(country.id) ?? [];
    if (file.code === country.code) {
      return findStates(regions, { country, states, table: this.#table, maker: this.#maker });
    }
    // The whole file of a territory is one state.
    const state = this.#findBySuffix(country, file.code);
    return regions.map(() => ({ state, isUnmapped: false }));
  }

  #findBySuffix(country: Country, suffix: string): State {
    const states = this.#statesOf.get(country.id) ?? [];
    const state = states.find(({ abbreviation }) => abbreviation === suffix);
    return state ?? this.#maker.makeIso(country, suffix, suffix);
  }

  #numberOf(state: State): number {
    const number = this.#numbers.get(state) ?? this.list.push(state) - 1;
    this.#numbers.set(state, number);
    return number;
  }
}
