import { findNearNames } from "../../../domain/location/near-names.ts";
import type { Country, State } from "../../../domain/location/place.ts";
import type { StandardState } from "../../format/layout.ts";
import { createStateMaker } from "../state-maker.ts";
import type { CustomTable, StateFacts, StateName } from "./custom-table.ts";
import type { Subject } from "./facts.ts";
import type { Problems } from "./problems.ts";
import { isWholeCountry, labelState, type StandardPlaces } from "./standard-places.ts";
import { type Identified, refuseSharedIds } from "./unique-ids.ts";

/** The states with what a table says of them. */
export interface AppliedStates {
  /** By their labels, see `labelState`. */
  readonly byLabel: ReadonlyMap<string, State>;
  /** What has been changed and made, for the next table that says something else. */
  readonly standardStates: readonly StandardState[];
}

/** Largest number of ISO 3166-1: ids of states are made of those only. */
const isoNumberMax = 999;

/**
 * Gives the states what a table says of them, and makes those that it adds. What cannot be is a problem.
 *
 * @param countries as the table makes them.
 */
export function applyStates(
  table: CustomTable,
  standard: StandardPlaces,
  countries: readonly Country[],
  problems: Problems,
): AppliedStates {
  const countryOf = new Map(countries.map((country) => [country.code, country]));
  const standardOf = labelStates(standard);
  const make = createMaker(table, { standard, countryOf, problems });
  const byLabel = new Map<string, State>();
  const standardStates: StandardState[] = [];
  for (const label of new Set([...standardOf.keys(), ...table.stateNames.keys()])) {
    const known = standardOf.get(label);
    const was = known ?? make(label);
    const country = countryOf.get(was?.country.code ?? "");
    if (was === undefined || country === undefined) continue;
    const changed = change(was, table.states.get(label));
    const state = { ...changed, name: isWholeCountry(was) ? country.name : changed.name, country };
    byLabel.set(label, state);
    const { id, name, active } = state;
    const isChanged = id !== was.id || name !== was.name || active !== was.active;
    if (known === undefined) standardStates.push([id, null, name, active]);
    else if (isChanged) standardStates.push([id, was.id, was.name, was.active]);
  }
  refuseSharedIds("stateId", identify(byLabel, table, standardOf), problems);
  return { byLabel, standardStates };
}

function change(state: State, own: Subject<StateFacts> | undefined): State {
  const { stateId, stateName, stateActive } = own?.facts ?? {};
  const { id, abbreviation, name, active } = state;
  return {
    ...state,
    id: stateId?.value ?? id,
    // A state without abbreviation is known by its name.
    name: abbreviation === "" ? name : (stateName?.value ?? name),
    active: stateActive?.value ?? active,
  };
}

/** A state that the table makes is named by it, even where its id is not. */
function identify(
  byLabel: ReadonlyMap<string, State>,
  table: CustomTable,
  standardOf: ReadonlyMap<string, State>,
): readonly Identified[] {
  return [...byLabel].map(([label, { id }]) => {
    const own = table.states.get(label);
    const line = own?.facts.stateId?.line ?? (standardOf.has(label) ? undefined : own?.line);
    return { id, label, line };
  });
}

/** States by their labels. */
function labelStates({ states }: StandardPlaces): ReadonlyMap<string, State> {
  return new Map(states.map((state) => [labelState(state), state]));
}

/** What a new state is made among. */
interface MakerParts {
  readonly standard: StandardPlaces;
  /** Countries as the table makes them, new ones too. */
  readonly countryOf: ReadonlyMap<string, Country>;
  readonly problems: Problems;
}

/** Makes states that nobody knows yet, with ids as an import of GeoNames would give them. */
function createMaker(table: CustomTable, { standard, countryOf, problems }: MakerParts) {
  const { countries, states } = standard;
  const maker = createStateMaker(states);
  const standardCountryOf = new Map(countries.map((country) => [country.code, country]));

  function makeId(country: Country, { abbreviation, name }: StateName, said: string): number {
    if (abbreviation === "" && name === "") return maker.makePlaceholder(country).id;
    if (/^[0-9A-Z]{1,3}$/.test(abbreviation)) return maker.makeIso(country, abbreviation, said).id;
    return maker.makeUnmapped(country, { code: abbreviation, name: said }).id;
  }

  /** Why a state cannot be made of what the table says; undefined where it can. */
  function findObstacle(named: StateName, country: Country, { facts }: Subject<StateFacts>) {
    const siblings = states.filter((state) => state.country.code === country.code);
    const isWhole = named.abbreviation === "" && named.name === "";
    if (isWhole && siblings.length > 0) {
      return `stateAbbreviation is empty, and ${country.name} has states`;
    }
    if (facts.stateId !== undefined) return undefined;
    if (facts.stateName === undefined && !isWhole) {
      return describeUnknown(named, country, siblings);
    }
    if (country.id >= 1 && country.id <= isoNumberMax) return undefined;
    return `stateId is needed: none can be made of the countryId ${country.id}`;
  }

  return (label: string): State | undefined => {
    const named = table.stateNames.get(label);
    const own = table.states.get(label);
    const code = named?.countryCode ?? "";
    const country = standardCountryOf.get(code) ?? countryOf.get(code);
    if (named === undefined || own === undefined || country === undefined) return undefined;
    const obstacle = findObstacle(named, country, own);
    if (obstacle !== undefined) {
      problems.add(own.line, obstacle);
      return undefined;
    }
    const { abbreviation } = named;
    const name = own.facts.stateName?.value ?? (abbreviation || country.name);
    const id = own.facts.stateId?.value ?? makeId(country, named, name);
    return { id, abbreviation, name, country, active: true };
  };
}

function describeUnknown(
  { abbreviation }: StateName,
  country: Country,
  siblings: readonly State[],
): string {
  const near = findNearNames(
    abbreviation,
    siblings.map((state) => state.abbreviation).filter(Boolean),
  );
  const meant = near.length === 0 ? "" : ` (${near.join(", ")}?)`;
  return `stateAbbreviation ${abbreviation} of ${country.code} is unknown${meant}: to add it, give stateName or stateId`;
}
