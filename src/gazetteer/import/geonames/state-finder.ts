import type { Country, State } from "../../../domain/location/place.ts";
import { type NameLetters, toNameLetters } from "../region-names.ts";
import type { StateMaker } from "../state-maker.ts";
import type { RegionTable } from "./region-table.ts";
import type { StateRule } from "./report.ts";

/** A first-level region of a postal file. */
export interface Region {
  /** Both may be empty. */
  readonly code: string;
  readonly name: string;
}

/** State of a region, and how it was found. */
export interface FoundState {
  readonly state: State;
  readonly rule: StateRule;
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
 * 1. `name`: the table has the name to the letter.
 * 2. `iso`, `map`: the state that the code has in ISO, or by the table, and its name agrees.
 * 3. `name`: the only state of that name.
 * 4. `iso`, `map`: the numbering that the names speak for in this file; the table where they do not say.
 * 5. `iso`: a code with letters that ISO has.
 * 6. `country`: a region without a name, or with that or the code of the country: the placeholder.
 * 7. `unmapped`: a new state.
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

  function findNamed(region: Region): FoundState | undefined {
    const { code, name } = region;
    const ofIso = bySuffix.get(code);
    if (ofIso !== undefined && agree(name, ofIso.name)) return { state: ofIso, rule: "iso" };
    const ofTable = bySuffix.get(suffixOf(region) ?? "");
    if (ofTable !== undefined && agree(name, ofTable.name)) return { state: ofTable, rule: "map" };
    const state = findByName(name);
    return state && { state, rule: "name" };
  }

  const named = regions.map(findNamed);
  const isIsoNumbering = speakForIso(regions, named, suffixOf);

  function findByCode(region: Region): FoundState | undefined {
    const { code, name } = region;
    const ofIso = bySuffix.get(code);
    if (isIsoNumbering && ofIso !== undefined) return { state: ofIso, rule: "iso" };
    const suffix = suffixOf(region);
    if (suffix !== undefined) return { state: ofSuffix(suffix, name), rule: "map" };
    return ofIso !== undefined && /[A-Z]/.test(code) ? { state: ofIso, rule: "iso" } : undefined;
  }

  function findOrMake(region: Region): FoundState {
    const { code, name } = region;
    const isCountry = name === "" || code === country.code || agree(name, country.name);
    if (isCountry) return { state: maker.makePlaceholder(country), rule: "country" };
    return { state: maker.makeUnmapped(country, region), rule: "unmapped" };
  }

  return regions.map((region, number) => {
    const suffix = table.findByName(country.code, region.name);
    if (suffix) return { state: ofSuffix(suffix, region.name), rule: "name" };
    // Known to be no state, whatever its code.
    if (suffix === "") return findOrMake(region);
    return named[number] ?? findByCode(region) ?? findOrMake(region);
  });
}

/** Whether the regions whose name decides have more often the code of their state in ISO than in the table. */
function speakForIso(
  regions: readonly Region[],
  named: readonly (FoundState | undefined)[],
  findSuffix: (region: Region) => string | undefined,
): boolean {
  let votes = 0;
  for (const [number, region] of regions.entries()) {
    const suffix = named[number]?.state.abbreviation;
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
