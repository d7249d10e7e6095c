import { readFileSync } from "node:fs";
import type { Country, State } from "../../../domain/location/place.ts";
import { type NameLetters, toNameLetters } from "../region-names.ts";
import type { StateMaker } from "../state-maker.ts";

/** Suffix of the ISO 3166-2 code of a region; empty when it is known to be no state of that country. */
export interface RegionTable {
  /** By country (alpha-2) and admin1 code of GeoNames. */
  findByCode(country: string, code: string): string | undefined;
  /** By the name to the letter, where the code is missing or wrong. */
  findByName(country: string, name: string): string | undefined;
}

/** Lines of country, code or `=name`, suffix or `-`; made by `scripts/geonames-regions.ts`. */
const file = new URL("../../../../data/geonames-regions.tsv", import.meta.url);

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

/** A first-level region of a postal file. */
export interface Region {
  /** Both may be empty. */
  readonly code: string;
  readonly name: string;
}

/** State of a region. */
export interface FoundState {
  readonly state: State;
  /** Whether the region is no state of ISO 3166-2, and became one of its own. */
  readonly isUnmapped: boolean;
}

/** What the states of one country are found with. */
export interface StateSources {
  readonly country: Country;
  /** Those of the country, retired ones too. */
  readonly states: readonly State[];
  readonly table: RegionTable;
  readonly maker: StateMaker;
}

/**
 * States of all regions of a country, in the order of the regions. Decision 0032:
 *
 * 1. the table has the name to the letter;
 * 2. the state that the code has in ISO, or by the table, where its name agrees;
 * 3. the only state of that name;
 * 4. by the numbering that the names suggest for this file, ISO or the table; the table where they do not decide;
 * 5. a code with letters that ISO has;
 * 6. the placeholder of the country, for a region without a name, or with the name or code of the country;
 * 7. a new state.
 */
export function findStates(
  regions: readonly Region[],
  sources: StateSources,
): readonly FoundState[] {
  const { country, table, maker } = sources;
  // States made by an earlier import are found by the maker, and reported as unmapped again.
  const active = sources.states.filter((state) => state.active && state.abbreviation !== "");
  const bySuffix = new Map(active.map((state) => [state.abbreviation, state]));
  const findByName = createNameIndex(active);
  const suffixOf = ({ code }: Region) =>
    code === "" ? undefined : table.findByCode(country.code, code);
  const ofSuffix = (suffix: string, name: string) =>
    bySuffix.get(suffix) ?? maker.makeIso(country, suffix, name);

  function findNamed(region: Region): State | undefined {
    const { code, name } = region;
    const ofIso = bySuffix.get(code);
    if (ofIso !== undefined && agree(name, ofIso.name)) return ofIso;
    const ofTable = bySuffix.get(suffixOf(region) ?? "");
    if (ofTable !== undefined && agree(name, ofTable.name)) return ofTable;
    return findByName(name);
  }

  const named = regions.map(findNamed);
  const isIsoNumbering = speakForIso(regions, named, suffixOf);

  function findByCode(region: Region): State | undefined {
    const { code, name } = region;
    const ofIso = bySuffix.get(code);
    if (isIsoNumbering && ofIso !== undefined) return ofIso;
    const suffix = suffixOf(region);
    if (suffix !== undefined) return ofSuffix(suffix, name);
    return /[A-Z]/.test(code) ? ofIso : undefined;
  }

  function findOrMake(region: Region): FoundState {
    const { code, name } = region;
    const isCountry = name === "" || code === country.code || agree(name, country.name);
    if (isCountry) return { state: maker.makePlaceholder(country), isUnmapped: false };
    return { state: maker.makeUnmapped(country, region), isUnmapped: true };
  }

  return regions.map((region, number) => {
    const suffix = table.findByName(country.code, region.name);
    const state = suffix
      ? ofSuffix(suffix, region.name)
      : // An empty suffix: known to be no state, whatever its code.
        suffix === undefined && (named[number] ?? findByCode(region));
    return state ? { state, isUnmapped: false } : findOrMake(region);
  });
}

/** Whether the regions whose name decides have more often the code of their state in ISO than in the table. */
function speakForIso(
  regions: readonly Region[],
  named: readonly (State | undefined)[],
  findSuffix: (region: Region) => string | undefined,
): boolean {
  let votes = 0;
  for (const [number, region] of regions.entries()) {
    const suffix = named[number]?.abbreviation;
    if (suffix === undefined) continue;
    votes += Number(region.code === suffix) - Number(findSuffix(region) === suffix);
  }
  return votes > 0;
}

function agree(name: string, other: string): boolean {
  const letters = toNameLetters(other);
  return toNameLetters(name).some((a) => letters.some((b) => isSame(a, b)));
}

function isSame(a: NameLetters, b: NameLetters): boolean {
  return a.all === b.all || (a.core !== "" && a.core === b.core);
}

/** Finds the only state of a name; one that agrees to the letter goes before one that nearly does. */
function createNameIndex(states: readonly State[]): (name: string) => State | undefined {
  const [byAll, byCore] = [new Map<string, State[]>(), new Map<string, State[]>()];
  for (const state of states) {
    for (const { all, core } of toNameLetters(state.name)) {
      append(byAll, all, state);
      append(byCore, core, state);
    }
  }
  return (name) => {
    const letters = toNameLetters(name);
    const exact = findOnly(letters.map(({ all }) => byAll.get(all)));
    return (
      exact ?? findOnly(letters.map(({ core }) => (core === "" ? undefined : byCore.get(core))))
    );
  };
}

function append(index: Map<string, State[]>, letters: string, state: State): void {
  const states = index.get(letters);
  if (states === undefined) index.set(letters, [state]);
  else if (!states.includes(state)) states.push(state);
}

function findOnly(found: readonly (readonly State[] | undefined)[]): State | undefined {
  const states = new Set(found.flatMap((list) => list ?? []));
  const [only] = states;
  return states.size === 1 ? only : undefined;
}
