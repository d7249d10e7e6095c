import type {
  ContinentFacts,
  CountryFacts,
  CustomTable,
  StateFacts,
  StateName,
} from "./custom-table.ts";
import { createSubjectFacts } from "./facts.ts";
import type { Problems } from "./problems.ts";
import type { RowReader } from "./row-reader.ts";
import { textLimits } from "./values.ts";

/** What the rows say of continents, countries and states. */
export interface Subjects {
  /** Takes what a row says of them; gives what its state is called in the table. */
  say(row: RowReader, countryCode: string): string;
  finish(): Pick<CustomTable, "continents" | "countries" | "states" | "stateNames">;
}

/**
 * Collects what rows say.
 *
 * @param continentOf code of the continent of a country; undefined for an unknown country.
 */
export function createSubjects(
  problems: Problems,
  continentOf: (countryCode: string) => string | undefined,
): Subjects {
  const continents = createSubjectFacts<ContinentFacts>(problems);
  const countries = createSubjectFacts<CountryFacts>(problems);
  const states = createSubjectFacts<StateFacts>(problems);
  const stateNames = new Map<string, StateName>();

  function sayContinent(row: RowReader, country: string): void {
    const code = row.text("continentCode", textLimits.abbreviation)?.toUpperCase();
    const id = row.id("continentId");
    const name = row.text("continentName", textLimits.name);
    countries.say({ name: country, line: row.line }, "continentCode", code);
    if (id === undefined && name === undefined) return;
    const continent = code ?? continentOf(country);
    if (continent === undefined) {
      row.fail("continentCode", "is empty: which continent is it?");
      return;
    }
    continents.say({ name: continent, line: row.line }, "continentId", id);
    continents.say({ name: continent, line: row.line }, "continentName", name);
  }

  function sayCountry(row: RowReader, code: string): void {
    const subject = { name: code, line: row.line };
    countries.say(subject, "countryId", row.id("countryId"));
    countries.say(subject, "countryName", row.text("countryName", textLimits.name));
    countries.say(subject, "countryAlias", row.text("countryAlias", textLimits.abbreviation));
    countries.say(subject, "countryActive", row.flag("countryActive"));
  }

  function sayState(row: RowReader, countryCode: string): string {
    const abbreviation =
      row.text("stateAbbreviation", textLimits.abbreviation)?.toUpperCase() ?? "";
    const stateName = row.text("stateName", textLimits.name);
    const name = abbreviation === "" ? (stateName ?? "") : "";
    const label = `${countryCode}-${abbreviation === "" ? JSON.stringify(name) : abbreviation}`;
    if (!stateNames.has(label)) stateNames.set(label, { countryCode, abbreviation, name });
    const subject = { name: label, line: row.line };
    states.say(subject, "stateId", row.id("stateId"));
    states.say(subject, "stateName", stateName);
    states.say(subject, "stateActive", row.flag("stateActive"));
    return label;
  }

  return {
    say(row, countryCode) {
      sayContinent(row, countryCode);
      sayCountry(row, countryCode);
      return sayState(row, countryCode);
    },
    finish: () => ({
      continents: continents.byName,
      countries: countries.byName,
      states: states.byName,
      stateNames,
    }),
  };
}
