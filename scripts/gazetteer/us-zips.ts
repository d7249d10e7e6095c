import {
  correctCityName,
  militaryStates,
  type NameRule,
  toMilitaryCity,
  wrongCities,
} from "@wfh/cli/imports/geonames/united-states.ts";
import { createRetiredNames, type RenamedZip } from "./retired-zips.ts";
import { findZipState, readGeoNamesUs, readZipcodesUs, type UsRow } from "./us-sources.ts";

/** ZIP codes of the United States with territories and military mail, and how they came about. */
export interface UsZips {
  /** One for each ZIP code, sorted by it. */
  readonly rows: readonly UsRow[];
  readonly geoNamesRows: number;
  readonly fromGeoNames: number;
  readonly fromZipcodes: number;
  /** Rows of GeoNames whose missing state came from `zip-state`. */
  readonly statesAdded: number;
  /** Rows of GeoNames for a ZIP code that another row has with a state. */
  readonly duplicatesDropped: number;
  /** Rows of GeoNames with a military label that names the wrong region, or none. */
  readonly labelsCorrected: number;
  /** ZIP codes of GeoNames whose city was wrong. */
  readonly citiesCorrected: number;
  /** Rows changed by each rule for names. */
  readonly namesCorrected: ReadonlyMap<NameRule, number>;
  readonly renamed: readonly RenamedZip[];
  /** Rows with a state, of either source, that `zip-state` places elsewhere. */
  readonly stateDisagreements: number;
}

/** Reads the sources and joins them: GeoNames first, `zipcodes` only for what GeoNames lacks. */
export function readUsZips(): UsZips {
  const geoNames = readGeoNamesUs();
  const zipcodes = readZipcodesUs();
  const withState = new Set(geoNames.filter(({ state }) => state !== "").map(({ zip }) => zip));
  const kept = geoNames.filter(({ zip, state }) => state !== "" || !withState.has(zip));
  const namesCorrected = new Map<NameRule, number>();
  const correctName = (row: UsRow): UsRow => {
    const city = correctCityName(row.city, (rule) => {
      namesCorrected.set(rule, (namesCorrected.get(rule) ?? 0) + 1);
    });
    return { ...row, city };
  };
  const base = kept.map(addState).map(correctMilitary).map(correctCity).map(correctName);
  const baseZips = new Set(base.map(({ zip }) => zip));
  const added = zipcodes.filter(({ zip }) => !baseZips.has(zip));
  const findRetiredName = createRetiredNames(base);
  const written = added.map(correctMilitary).map(correctName);
  const gaps = written.map((row) => {
    const isRetired = !militaryStates.includes(row.state) && isStateOf(row, base);
    return isRetired ? { ...row, city: findRetiredName(row) } : row;
  });
  return {
    rows: [...base, ...gaps].sort((a, b) => (a.zip < b.zip ? -1 : 1)),
    geoNamesRows: geoNames.length,
    fromGeoNames: base.length,
    fromZipcodes: gaps.length,
    statesAdded: kept.filter(({ state }) => state === "").length,
    duplicatesDropped: geoNames.length - kept.length,
    labelsCorrected: kept.filter(hasWrongLabel).length,
    citiesCorrected: kept.filter((row) => correctCity(row) !== row).length,
    namesCorrected,
    renamed: gaps.flatMap(({ zip, city }, number) => {
      const was = written[number]?.city ?? city;
      return was === city ? [] : [{ zip, was, city }];
    }),
    stateDisagreements: [...kept, ...zipcodes].filter(({ zip, state }) => {
      return state !== "" && findZipState(zip) !== state;
    }).length,
  };
}

function addState(row: UsRow): UsRow {
  if (row.state !== "") return row;
  const state = findZipState(row.zip);
  if (state === null) throw new Error(`No source knows the state of ${row.zip}`);
  return { ...row, state };
}

/** The region is the state, the post office the city. */
function correctMilitary(row: UsRow): UsRow {
  if (!militaryStates.includes(row.state)) return row;
  const city = toMilitaryCity(row.city);
  if (city === undefined) throw new Error(`Not a military post office: ${row.zip} ${row.city}`);
  return { ...row, city };
}

function correctCity(row: UsRow): UsRow {
  const city = wrongCities[row.zip];
  return city === undefined ? row : { ...row, city };
}

function hasWrongLabel(row: UsRow): boolean {
  return row.state === "" && row.city.slice(4) !== findZipState(row.zip);
}

/** Territories are only in `zipcodes`: their rows are in use, not retired. */
function isStateOf({ state }: UsRow, base: readonly UsRow[]): boolean {
  return base.some((row) => row.state === state);
}
