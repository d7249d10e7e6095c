import type { Continent, Country } from "@wfh/server/domain/location/place.ts";
import { continents, countries as listed } from "countries-list";
import { iso31661 } from "iso-3166";
import { readPackageJson } from "./packages.ts";

/** Ids are UN M49 numbers (decision 0003); `countries-list` has the codes and names. */
const continentIds: Readonly<Record<keyof typeof continents, number>> = {
  NA: 3,
  SA: 5,
  OC: 9,
  AN: 10,
  AF: 2,
  AS: 142,
  EU: 150,
};

/** Not in ISO 3166-1, but in postal data; CLDR has a number and a code for it. */
const kosovo = "XK";

interface CodeMappings {
  readonly supplemental: {
    readonly codeMappings: Readonly<Record<string, { _numeric?: string; _alpha3?: string }>>;
  };
}

interface TerritoryNames {
  readonly main: {
    readonly en: {
      readonly localeDisplayNames: { readonly territories: Readonly<Record<string, string>> };
    };
  };
}

/** English names of countries and other territories by CLDR, by their codes. */
export function readTerritoryNames(): Readonly<Record<string, string>> {
  const names = readPackageJson<TerritoryNames>(
    "cldr-localenames-full",
    "main/en/territories.json",
  );
  return names.main.en.localeDisplayNames.territories;
}

/** The 249 countries of ISO 3166-1 and Kosovo, by alpha-2. */
export function readCountries(): readonly Country[] {
  const names = readTerritoryNames();
  return [...iso31661, readKosovo()]
    .map(({ alpha2, alpha3, numeric, name }): Country => {
      return {
        id: Number(numeric),
        code: alpha2,
        alias: alpha3,
        name: names[alpha2] ?? name,
        continent: findContinent(alpha2),
        active: true,
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

function readKosovo(): { alpha2: string; alpha3: string; numeric: string; name: string } {
  const mappings = readPackageJson<CodeMappings>("cldr-core", "supplemental/codeMappings.json");
  const { _alpha3, _numeric } = mappings.supplemental.codeMappings[kosovo] ?? {};
  if (_alpha3 === undefined || _numeric === undefined) throw new Error("CLDR has no codes for XK");
  return { alpha2: kosovo, alpha3: _alpha3, numeric: _numeric, name: "Kosovo" };
}

function findContinent(alpha2: string): Continent {
  const country = Object.entries(listed).find(([code]) => code === alpha2)?.[1];
  if (country === undefined) throw new Error(`countries-list does not know ${alpha2}`);
  const code = country.continent;
  return { id: continentIds[code], code, name: continents[code] };
}
