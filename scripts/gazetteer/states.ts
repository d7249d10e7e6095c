import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import { type ISO31662Entry, iso31662 } from "iso-3166";
import { readTerritoryNames } from "./countries.ts";
import { readPackageJson } from "./packages.ts";

/** The top level of CLDR is seven groups of islands; addresses name the provinces below. */
const countriesOfSecondLevel: readonly string[] = ["ID"];

/**
 * States of the United States beyond ISO 3166-2: regions of military mail (names of USPS
 * Publication 28) and the freely associated states, which USPS serves like its own.
 */
const addedToUs: Readonly<Record<string, string>> = {
  AA: "Armed Forces Americas",
  AE: "Armed Forces Europe",
  AP: "Armed Forces Pacific",
  FM: "Micronesia",
  MH: "Marshall Islands",
  PW: "Palau",
};

/** Not states for mail: no ZIP code is there. */
const leftOut: readonly string[] = ["US-UM"];

/** Where CLDR has no English name or names the city instead of the region. */
const namesOfOurs: Readonly<Record<string, string>> = {
  "CN-NM": "Inner Mongolia",
  "CN-TW": "Taiwan",
  "US-DC": "District of Columbia",
};

/** CLDR has the regions of before 2015 under the numbers of those of today; ISO has today's. */
const countriesNamedByIso: readonly string[] = ["MA"];

/** CLDR marks names that another level of the same country has too, and former subdivisions. */
const footnoteMark = / ?[²†]$/;

interface Containment {
  readonly supplemental: {
    readonly subdivisionContainment: Readonly<Record<string, { readonly _contains: string[] }>>;
  };
}

interface SubdivisionNames {
  readonly subdivisions: {
    readonly localeDisplayNames: { readonly subdivisions: Readonly<Record<string, string>> };
  };
}

interface Aliases {
  readonly supplemental: {
    readonly metadata: {
      readonly alias: {
        readonly subdivisionAlias: Readonly<Record<string, { readonly _replacement: string }>>;
      };
    };
  };
}

/** States of the countries: the top level of ISO 3166-2 with English names, and ours for the US. */
export function readStates(countries: readonly Country[]): readonly State[] {
  const isTopLevel = createLevelTest();
  const findName = createNameIndex();
  return countries.flatMap((country) => {
    const entries = iso31662.filter(({ code, parent }) => {
      return parent === country.code && !leftOut.includes(code) && isTopLevel(code);
    });
    const states = entries.map((entry) => toState(country, suffixOf(entry.code), findName(entry)));
    if (country.code !== "US") return states;
    const added = Object.entries(addedToUs);
    return [...states, ...added.map(([suffix, name]) => toState(country, suffix, name))];
  });
}

/** Those of the earlier states that are gone, inactive: an id stays taken (decision 0003). */
export function keepVanished(earlier: readonly State[], now: readonly State[]): readonly State[] {
  const ids = new Set(now.map(({ id }) => id));
  const countries = new Map(now.map(({ country }) => [country.id, country]));
  return earlier.flatMap((state) => {
    const country = countries.get(state.country.id);
    if (ids.has(state.id) || country === undefined) return [];
    return [{ ...state, country, active: false }];
  });
}

function toState(country: Country, suffix: string, name: string): State {
  return { id: toStateId(country.id, suffix), abbreviation: suffix, name, country, active: true };
}

function suffixOf(code: string): string {
  return code.slice(3);
}

/** Code as CLDR writes it: `"GB-ENG"` is `"gbeng"`. */
function toCldrCode(code: string): string {
  return code.replace("-", "").toLowerCase();
}

/**
 * ISO 3166-2 as we have it is flat in places: council areas of the United Kingdom stand beside
 * England, municipalities beside their county. CLDR knows what contains what; where it knows
 * nothing of a country, ISO is believed.
 */
function createLevelTest(): (code: string) => boolean {
  const { supplemental } = readPackageJson<Containment>(
    "cldr-core",
    "supplemental/subdivisionContainment.json",
  );
  const contains = supplemental.subdivisionContainment;
  return (code) => {
    const top = contains[code.slice(0, 2)]?._contains ?? [];
    const isTop = top.length === 0 || top.includes(toCldrCode(code));
    return countriesOfSecondLevel.includes(code.slice(0, 2)) ? !isTop : isTop;
  };
}

/** English name by CLDR; that of the territory when the state is one (US-PR is PR); else by ISO. */
function createNameIndex(): (entry: ISO31662Entry) => string {
  const { subdivisions } = readPackageJson<SubdivisionNames>(
    "cldr-subdivisions-full",
    "subdivisions/en/en.json",
  );
  const names = subdivisions.localeDisplayNames.subdivisions;
  const territories = readTerritoryNames();
  const { supplemental } = readPackageJson<Aliases>("cldr-core", "supplemental/aliases.json");
  const aliases = supplemental.metadata.alias.subdivisionAlias;
  return ({ code, name }) => {
    const cldrCode = toCldrCode(code);
    const territory = territories[aliases[cldrCode]?._replacement ?? ""];
    const ofCldr = names[cldrCode]?.replace(footnoteMark, "");
    const ofIso = countriesNamedByIso.includes(code.slice(0, 2)) ? toIsoName(name) : undefined;
    return namesOfOurs[code] ?? ofIso ?? ofCldr ?? territory ?? name;
  };
}

/** ISO notes behind some names that a part of the region is of another country: ` (EH-partial)`. */
function toIsoName(name: string): string {
  return name.replace(/ \(EH(?:-partial)?\)$/, "");
}
