import { findNamed } from "@wfh/server/domain/location/near-names.ts";
import type { Continent, Country, State } from "@wfh/server/domain/location/place.ts";
import type { StandardState } from "@wfh/server/gazetteer/format/layout.ts";
import type { RegionIdentity } from "../imports/compare-artifacts.ts";
import { isWholeCountry, labelState, type StandardPlaces } from "../imports/standard-places.ts";
import { StateMaker } from "../imports/state-maker.ts";
import type { PlaceRow } from "./place-row.ts";
import type { PlaceTable, RegionKind, TableRegion } from "./place-table.ts";

/** Codes that people write for a country whose alpha-2 code is another one. */
const otherCodes: Readonly<Record<string, string>> = { EL: "GR", UK: "GB" };

/** Largest number of ISO 3166-1: state ids are made of those only. */
const isoNumberMax = 999;

/** Applies a table's continents, countries and states; contradictions become problems. */
export function applyRegions(table: PlaceTable, standard: StandardPlaces) {
  const countries = applyCountries(table, standard, applyContinents(table, standard));
  const regions = { countries, ...applyStates(table, standard, countries) };
  refuseSharedIds(table, standard, { countries, states: [...regions.states.values()] });
  return regions;
}

function applyContinents(
  { regions, problems }: PlaceTable,
  standard: StandardPlaces,
): ReadonlyMap<string, Continent> {
  const continents = new Map(
    standard.countries.map(({ continent }) => [continent.code, continent]),
  );
  const known = [...continents.keys()].sort().join(", ");
  for (const [code, { line, given }] of regions.continent) {
    const was = continents.get(code);
    const { continentId: id = was?.id, continentName: name = was?.name } = given;
    if (id !== undefined && name !== undefined) continents.set(code, { id, code, name });
    else {
      const advice = "to add it, give continentId and continentName";
      const message = `continentCode ${code} is unknown, and not one of ${known}: ${advice}`;
      problems.add({ line, message });
    }
  }
  return continents;
}

function applyCountries(
  { regions, problems }: PlaceTable,
  standard: StandardPlaces,
  continents: ReadonlyMap<string, Continent>,
): readonly Country[] {
  const standardOf = new Map(standard.countries.map((country) => [country.code, country]));
  const codes = new Set([...standardOf.keys(), ...regions.country.keys()]);
  return [...codes].flatMap((code): readonly Country[] => {
    const was = standardOf.get(code);
    const { line = 1, given = {} } = regions.country.get(code) ?? {};
    const { countryId: id = was?.id, countryName: name = was?.name } = given;
    const { continentCode = was?.continent.code } = given;
    if (id === undefined || name === undefined || continentCode === undefined) {
      const other = otherCodes[code] === undefined ? "" : ` (is it ${otherCodes[code]}?)`;
      const advice = "to add it, give countryId, countryName and continentCode";
      problems.add({ line, message: `countryCode ${code} is unknown${other}: ${advice}` });
      return [];
    }
    const { countryAlias: alias = was?.alias ?? code } = given;
    const { countryActive: active = was?.active ?? true } = given;
    const continent = continents.get(continentCode);
    return continent === undefined ? [] : [{ ...was, id, code, alias, name, active, continent }];
  });
}

function applyStates(
  { regions, problems }: PlaceTable,
  standard: StandardPlaces,
  countries: readonly Country[],
) {
  const countryOf = new Map(countries.map((country) => [country.code, country]));
  // A new state gets the id that an import of GeoNames would give it, whatever its country has now.
  const standardOf = new Map(standard.countries.map((country) => [country.code, country]));
  const known = new Map(standard.states.map((state) => [labelState(state), state]));
  const maker = new StateMaker(standard.states);
  const add = ({ line, given }: TableRegion): State | undefined => {
    const { countryCode = "" } = given;
    const country = standardOf.get(countryCode) ?? countryOf.get(countryCode);
    const siblings = standard.states.filter((state) => state.country.code === countryCode);
    const made = country && makeState(given, country, siblings, maker);
    if (typeof made !== "string") return made;
    problems.add({ line, message: made });
    return undefined;
  };
  /** By their labels. */
  const states = new Map<string, State>();
  /** Those that the table changes or adds, as they are without it. */
  const standardStates: StandardState[] = [];
  for (const label of new Set([...known.keys(), ...regions.state.keys()])) {
    const region = regions.state.get(label);
    const was = known.get(label) ?? (region && add(region));
    const country = countryOf.get(was?.country.code ?? "");
    if (was === undefined || country === undefined) continue;
    const state = applyState(was, country, region?.given);
    const { id, name, active } = state;
    states.set(label, state);
    const isChanged = id !== was.id || name !== was.name || active !== was.active;
    if (!known.has(label)) standardStates.push([id, null, name, active]);
    else if (isChanged) standardStates.push([id, was.id, was.name, was.active]);
  }
  return { states, standardStates };
}

function applyState(was: State, country: Country, given: PlaceRow = {}): State {
  const { stateId: id = was.id, stateName = was.name, stateActive: active = was.active } = given;
  // A state without abbreviation is identified by its name, which therefore never changes.
  const name = was.abbreviation === "" ? was.name : stateName;
  return { ...was, id, name: isWholeCountry(was) ? country.name : name, active, country };
}

/** A new state, or why it cannot be added. */
function makeState(
  { stateAbbreviation: abbreviation = "", stateName, stateId }: PlaceRow,
  country: Country,
  siblings: readonly State[],
  maker: StateMaker,
): State | string {
  const isWhole = abbreviation === "" && stateName === undefined;
  if (isWhole && siblings.length > 0) {
    return `stateAbbreviation is empty, and ${country.name} has states`;
  }
  const name = stateName ?? (abbreviation || country.name);
  const state = { abbreviation, name, country, active: true };
  if (stateId !== undefined) return { id: stateId, ...state };
  if (stateName === undefined && !isWhole) {
    const { near } = findNamed(siblings, abbreviation, (one) => [one.abbreviation]);
    const codes = near.map((one) => one.abbreviation).join(", ");
    const meant = codes === "" ? "" : ` (${codes}?)`;
    return `stateAbbreviation ${abbreviation} of ${country.code} is unknown${meant}: to add it, give stateName or stateId`;
  }
  if (country.id < 1 || country.id > isoNumberMax) {
    return `stateId is required: none can be derived from countryId ${country.id}`;
  }
  if (isWhole) return maker.makePlaceholder(country);
  const { id } = /^[0-9A-Z]{1,3}$/.test(abbreviation)
    ? maker.makeIso(country, abbreviation, name)
    : maker.makeUnmapped(country, { code: abbreviation, name });
  return { id, ...state };
}

/** A continent, country or state with another id, name or flag than before. */
export interface RegionChange {
  readonly kind: RegionKind;
  /** `NA`, `US`, `US-NY`. */
  readonly label: string;
  /** null where it did not exist, or no longer does. */
  readonly before: RegionIdentity | null;
  readonly after: RegionIdentity | null;
}

/** Lists continents, countries and states whose ids, names or flags differ. */
export function compareRegions(
  before: StandardPlaces,
  after: StandardPlaces,
): readonly RegionChange[] {
  const was = identifyRegions(before);
  const regions = identifyRegions(after);
  const identityIn = (known: typeof was, key: string) => known.get(key)?.identity ?? null;
  return [...new Map([...was, ...regions])]
    .map(([key, { kind, label }]) => {
      return { kind, label, before: identityIn(was, key), after: identityIn(regions, key) };
    })
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
    .sort((a, b) => (`${a.kind} ${a.label}` < `${b.kind} ${b.label}` ? -1 : 1));
}

/** By kind and label. */
function identifyRegions({ countries, states }: StandardPlaces) {
  const regions = new Map<
    string,
    Omit<RegionChange, "before" | "after"> & { readonly identity: RegionIdentity }
  >();
  const add = (kind: RegionKind, label: string, identity: RegionIdentity) =>
    regions.set(`${kind} ${label}`, { kind, label, identity });
  for (const { id, code, name, active, alias, continent } of countries) {
    add("country", code, { id, name, active, alias });
    add("continent", continent.code, { id: continent.id, name: continent.name, active: true });
  }
  for (const state of states) {
    const { id, name, active } = state;
    add("state", labelState(state), { id, name, active });
  }
  return regions;
}

/** Adds a problem for each id that two regions have, at the later of the lines that give it. */
function refuseSharedIds(
  { regions, problems }: PlaceTable,
  standard: StandardPlaces,
  after: StandardPlaces,
): void {
  const known = identifyRegions(standard);
  const identified = [...identifyRegions(after)].map(([key, { kind, label, identity }]) => {
    const region = regions[kind].get(label);
    // A region that the table adds is reported on its line, even where its id is not given there.
    const line = region?.lines[`${kind}Id`] ?? (known.has(key) ? undefined : region?.line);
    return { kind, label, id: identity.id, line };
  });
  for (const sharing of Map.groupBy(identified, ({ kind, id }) => `${kind} ${id}`).values()) {
    const [first, ...others] = sharing.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (first === undefined) continue;
    for (const { kind, id, label, line = 1 } of others) {
      const owner =
        first.line === undefined
          ? `is the standard id of ${first.label}: give that another one, or choose another`
          : `is that of ${first.label} on line ${first.line}`;
      problems.add({ line, message: `${kind}Id ${id} of ${label} ${owner}` });
    }
  }
}
