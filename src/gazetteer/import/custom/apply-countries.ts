import type { Continent, Country } from "../../../domain/location/place.ts";
import type { CountryFacts, CustomTable } from "./custom-table.ts";
import type { Subject } from "./facts.ts";
import type { Problems } from "./problems.ts";
import { refuseSharedIds } from "./unique-ids.ts";

/** Codes that people write for a country whose alpha-2 code is another one. */
const otherCodes: Readonly<Record<string, string>> = { EL: "GR", UK: "GB" };

/** The countries with what a table says of them and of continents, new ones too. What cannot be is a problem. */
export function applyCountries(
  table: CustomTable,
  standard: readonly Country[],
  problems: Problems,
): readonly Country[] {
  const continents = applyContinents(table, standard, problems);
  const standardOf = new Map(standard.map((country) => [country.code, country]));
  const countries = [...new Set([...standardOf.keys(), ...table.countries.keys()])].flatMap(
    (code): readonly Country[] => {
      const was = standardOf.get(code);
      const own = table.countries.get(code);
      const given = was === undefined ? requireNew(code, own, problems) : was;
      if (given === undefined) return [];
      const country = change(given, own);
      const continent = continents.get(
        own?.facts.continentCode?.value ?? was?.continent.code ?? "",
      );
      return continent === undefined ? [] : [{ ...country, continent }];
    },
  );
  const lineOf = (code: string) => table.countries.get(code)?.facts.countryId?.line;
  const identified = countries.map(({ id, code }) => ({ id, label: code, line: lineOf(code) }));
  refuseSharedIds("countryId", identified, problems);
  return countries;
}

type CountryWithoutContinent = Omit<Country, "continent">;

function change(
  country: CountryWithoutContinent,
  own: Subject<CountryFacts> | undefined,
): CountryWithoutContinent {
  const { countryId, countryName, countryAlias, countryActive } = own?.facts ?? {};
  return {
    ...country,
    id: countryId?.value ?? country.id,
    name: countryName?.value ?? country.name,
    alias: countryAlias?.value ?? country.alias,
    active: countryActive?.value ?? country.active,
  };
}

/** What a country begins with that nobody knows yet; undefined where the table says too little of it. */
function requireNew(
  code: string,
  own: Subject<CountryFacts> | undefined,
  problems: Problems,
): CountryWithoutContinent | undefined {
  const { countryId, countryName, continentCode } = own?.facts ?? {};
  if (countryId === undefined || countryName === undefined || continentCode === undefined) {
    const other = otherCodes[code] === undefined ? "" : ` (is it ${otherCodes[code]}?)`;
    const advice = "to add it, give countryId, countryName and continentCode";
    problems.add(own?.line ?? 1, `countryCode ${code} is unknown${other}: ${advice}`);
    return undefined;
  }
  return { id: countryId.value, code, alias: code, name: countryName.value, active: true };
}

/** The continents by their codes. */
function applyContinents(
  table: CustomTable,
  standard: readonly Country[],
  problems: Problems,
): ReadonlyMap<string, Continent> {
  const continents = new Map(standard.map(({ continent }) => [continent.code, continent]));
  for (const [code, { line, facts }] of table.continents) {
    const was = continents.get(code);
    const id = facts.continentId?.value ?? was?.id;
    const name = facts.continentName?.value ?? was?.name;
    if (id !== undefined && name !== undefined) continents.set(code, { id, code, name });
    else problems.add(line, `continentCode ${code} is unknown: give continentId and continentName`);
  }
  for (const { facts } of table.countries.values()) {
    const { value, line } = facts.continentCode ?? {};
    if (value === undefined || continents.has(value) || table.continents.has(value)) continue;
    const known = [...continents.keys()].sort().join(", ");
    problems.add(line ?? 1, `continentCode ${value} is unknown, and not one of ${known}`);
  }
  const lineOf = (code: string) => table.continents.get(code)?.facts.continentId?.line;
  const identified = [...continents.values()].map(({ id, code }) => {
    return { id, label: code, line: lineOf(code) };
  });
  refuseSharedIds("continentId", identified, problems);
  return continents;
}
