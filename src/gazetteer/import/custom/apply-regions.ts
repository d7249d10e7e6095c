import { findNearNames } from "../../../domain/location/near-names.ts";
import type { Continent, Country, State } from "../../../domain/location/place.ts";
import type { StandardState } from "../../format/layout.ts";
import { isWholeCountry, labelState, type StandardPlaces } from "../standard-places.ts";
import { StateMaker } from "../state-maker.ts";
import type { Attributes, CustomTable, Region, StateName } from "./custom-table.ts";
import type { Problems } from "./row.ts";

/** Codes that people write for a country whose alpha-2 code is another one. */
const otherCodes: Readonly<Record<string, string>> = { EL: "GR", UK: "GB" };

/** Largest number of ISO 3166-1: state ids are made of those only. */
const isoNumberMax = 999;

/** Applies the attributes of continents, countries and states; contradictions become problems. */
export function applyRegions(table: CustomTable, standard: StandardPlaces, problems: Problems) {
  const continents = applyContinents(table, standard.countries, problems);
  const countries = applyCountries(table, standard.countries, { continents, problems });
  return { countries, ...applyStates(table, standard, { countries, problems }) };
}

function applyContinents(
  table: CustomTable,
  standard: readonly Country[],
  problems: Problems,
): ReadonlyMap<string, Continent> {
  const continents = new Map(standard.map(({ continent }) => [continent.code, continent]));
  for (const [code, { line, attributes }] of table.continents) {
    const was = continents.get(code);
    const { continentId: id = was?.id, continentName: name = was?.name } = attributes;
    if (id !== undefined && name !== undefined) continents.set(code, { id, code, name });
    else
      problems.add({
        line,
        message: `continentCode ${code} is unknown: give continentId and continentName`,
      });
  }
  for (const { attributes, lines } of table.countries.values()) {
    const { continentCode: code } = attributes;
    if (code === undefined || continents.has(code) || table.continents.has(code)) continue;
    const known = [...continents.keys()].sort().join(", ");
    const message = `continentCode ${code} is unknown, and not one of ${known}`;
    problems.add({ line: lines.continentCode ?? 1, message });
  }
  const identified = [...continents.values()].map(({ id, code }) => {
    return { id, label: code, line: table.continents.get(code)?.lines.continentId };
  });
  refuseSharedIds("continentId", identified, problems);
  return continents;
}

function applyCountries(
  table: CustomTable,
  standard: readonly Country[],
  parts: { readonly continents: ReadonlyMap<string, Continent>; readonly problems: Problems },
): readonly Country[] {
  const { continents, problems } = parts;
  const standardOf = new Map(standard.map((country) => [country.code, country]));
  const codes = new Set([...standardOf.keys(), ...table.countries.keys()]);
  const countries = [...codes].flatMap((code): readonly Country[] => {
    const was = standardOf.get(code);
    const { line = 1, attributes = {} } = table.countries.get(code) ?? {};
    const { countryId: id = was?.id, countryName: name = was?.name } = attributes;
    const { continentCode = was?.continent.code } = attributes;
    if (id === undefined || name === undefined || continentCode === undefined) {
      const other = otherCodes[code] === undefined ? "" : ` (is it ${otherCodes[code]}?)`;
      const advice = "to add it, give countryId, countryName and continentCode";
      problems.add({ line, message: `countryCode ${code} is unknown${other}: ${advice}` });
      return [];
    }
    const { countryAlias: alias = was?.alias ?? code } = attributes;
    const { countryActive: active = was?.active ?? true } = attributes;
    const continent = continents.get(continentCode);
    return continent === undefined ? [] : [{ ...was, id, code, alias, name, active, continent }];
  });
  const identified = countries.map(({ id, code }) => {
    return { id, label: code, line: table.countries.get(code)?.lines.countryId };
  });
  refuseSharedIds("countryId", identified, problems);
  return countries;
}

function applyStates(
  table: CustomTable,
  standard: StandardPlaces,
  { countries, problems }: { readonly countries: readonly Country[]; readonly problems: Problems },
) {
  const countryOf = new Map(countries.map((country) => [country.code, country]));
  const standardOf = new Map(standard.states.map((state) => [labelState(state), state]));
  const addState = createStateAdder(standard, countryOf, problems);
  /** By their labels, see `labelState`. */
  const states = new Map<string, State>();
  /** Those that the table changes or adds, as they are without it. */
  const standardStates: StandardState[] = [];
  for (const label of new Set([...standardOf.keys(), ...table.states.keys()])) {
    const region = table.states.get(label);
    const known = standardOf.get(label);
    const was = known ?? (region && addState(region));
    const country = countryOf.get(was?.country.code ?? "");
    if (was === undefined || country === undefined) continue;
    const state = applyState(was, country, region?.attributes);
    const { id, name, active } = state;
    states.set(label, state);
    const isChanged = id !== was.id || name !== was.name || active !== was.active;
    if (known === undefined) standardStates.push([id, null, name, active]);
    else if (isChanged) standardStates.push([id, was.id, was.name, was.active]);
  }
  // A state that the table adds is reported on its line, even where its id is not given there.
  const identified = [...states].map(([label, { id }]) => {
    const region = table.states.get(label);
    const line = region?.lines.stateId ?? (standardOf.has(label) ? undefined : region?.line);
    return { id, label, line };
  });
  refuseSharedIds("stateId", identified, problems);
  return { states, standardStates };
}

function applyState(was: State, country: Country, attributes: Partial<Attributes> = {}): State {
  const {
    stateId: id = was.id,
    stateName = was.name,
    stateActive: active = was.active,
  } = attributes;
  // A state without abbreviation is identified by its name, which therefore never changes.
  const name = was.abbreviation === "" ? was.name : stateName;
  return { ...was, id, name: isWholeCountry(was) ? country.name : name, active, country };
}

/** Adds states that are not known yet, with the ids that an import of GeoNames would give them. */
function createStateAdder(
  { countries, states }: StandardPlaces,
  countryOf: ReadonlyMap<string, Country>,
  problems: Problems,
) {
  const maker = new StateMaker(states);
  const standardCountryOf = new Map(countries.map((country) => [country.code, country]));

  function makeId(country: Country, { abbreviation, name }: StateName, stateName: string): number {
    if (abbreviation === "" && name === "") return maker.makePlaceholder(country).id;
    return /^[0-9A-Z]{1,3}$/.test(abbreviation)
      ? maker.makeIso(country, abbreviation, stateName).id
      : maker.makeUnmapped(country, { code: abbreviation, name: stateName }).id;
  }

  /** Why a state cannot be added; undefined where it can. */
  function findObstacle({ named, attributes }: NamedRegion, country: Country): string | undefined {
    const { abbreviation, name } = named;
    const siblings = states.filter((state) => state.country.code === country.code);
    const isWhole = abbreviation === "" && name === "";
    if (isWhole && siblings.length > 0) {
      return `stateAbbreviation is empty, and ${country.name} has states`;
    }
    if (attributes.stateId !== undefined) return undefined;
    if (attributes.stateName === undefined && !isWhole) {
      const known = siblings.map((state) => state.abbreviation).filter((text) => text !== "");
      const near = findNearNames(abbreviation, known);
      const meant = near.length === 0 ? "" : ` (${near.join(", ")}?)`;
      return `stateAbbreviation ${abbreviation} of ${country.code} is unknown${meant}: to add it, give stateName or stateId`;
    }
    if (country.id >= 1 && country.id <= isoNumberMax) return undefined;
    return `stateId is required: none can be derived from countryId ${country.id}`;
  }

  return (region: NamedRegion): State | undefined => {
    const { countryCode, abbreviation } = region.named;
    const country = standardCountryOf.get(countryCode) ?? countryOf.get(countryCode);
    if (country === undefined) return undefined;
    const obstacle = findObstacle(region, country);
    if (obstacle !== undefined) {
      problems.add({ line: region.line, message: obstacle });
      return undefined;
    }
    const name = region.attributes.stateName ?? (abbreviation || country.name);
    const id = region.attributes.stateId ?? makeId(country, region.named, name);
    return { id, abbreviation, name, country, active: true };
  };
}

type NamedRegion = Region & { readonly named: StateName };

/** `line` is undefined where the table does not give the id. */
interface Identified {
  readonly id: number;
  readonly label: string;
  readonly line: number | undefined;
}

/** Adds a problem for each id that two regions have, at the later of the lines that give it. */
function refuseSharedIds(column: string, regions: readonly Identified[], problems: Problems): void {
  for (const sharing of Map.groupBy(regions, ({ id }) => id).values()) {
    const [first, ...others] = sharing.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (first === undefined) continue;
    for (const { id, label, line = 1 } of others) {
      const owner =
        first.line === undefined
          ? `is the standard id of ${first.label}: give that another one, or choose another`
          : `is that of ${first.label} on line ${first.line}`;
      problems.add({ line, message: `${column} ${id} of ${label} ${owner}` });
    }
  }
}
