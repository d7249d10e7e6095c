import { mailerNames, misspelledNames } from "./city-names.ts";
import type { UsRow } from "./us-sources.ts";

/** A retired ZIP code whose name was no city, or not written as one. */
export interface RenamedZip {
  readonly zip: string;
  readonly was: string;
  readonly city: string;
}

/** ZIP codes with the same first three digits that must exist before they can tell a city. */
const areaZipsMin = 10;

/** Part of them that must be in that city. */
const areaShareMin = 0.8;

/**
 * City of a retired ZIP code, given all rows in use. Its own name, unless
 * 1. no ZIP code in use has that name in the state, and nearly all with the same first three digits
 *    are in one city (`Ny Telephone` in 112 is Brooklyn, `Atl` in 303 Atlanta): that city; or
 * 2. the name is on the list of misspelled ones: what it stands for; or
 * 3. the name is on the list of mailers: the city of the nearest ZIP code in use in the state.
 */
export function createRetiredNames(inUse: readonly UsRow[]): (row: UsRow) => string {
  const names = new Set(inUse.map(({ state, city }) => `${state} ${city}`));
  const byState = Map.groupBy(inUse, ({ state }) => state);
  const byArea = Map.groupBy(inUse, ({ state, zip }) => `${state} ${zip.slice(0, 3)}`);
  return (row) => {
    if (names.has(`${row.state} ${row.city}`)) return row.city;
    const ofArea = findAreaCity(byArea.get(`${row.state} ${row.zip.slice(0, 3)}`) ?? []);
    if (ofArea !== undefined) return ofArea;
    const isMailer = mailerNames.has(row.city) && row.latitude !== 0;
    if (isMailer) return findNearest(row, byState.get(row.state) ?? []) ?? row.city;
    return misspelledNames[row.city] ?? row.city;
  };
}

function findAreaCity(area: readonly UsRow[]): string | undefined {
  if (area.length < areaZipsMin) return undefined;
  for (const [city, rows] of Map.groupBy(area, (row) => row.city)) {
    if (rows.length >= areaShareMin * area.length) return city;
  }
  return undefined;
}

function findNearest(row: UsRow, candidates: readonly UsRow[]): string | undefined {
  // Degrees of longitude are shorter than those of latitude; precise enough within a state.
  const scale = Math.cos((row.latitude * Math.PI) / 180);
  let nearest: UsRow | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const north = candidate.latitude - row.latitude;
    const east = (candidate.longitude - row.longitude) * scale;
    const squared = north * north + east * east;
    if (squared < least) {
      least = squared;
      nearest = candidate;
    }
  }
  return nearest?.city;
}
