import { distanceKm } from "./distance.ts";
import type { Gazetteer, ListedCode } from "./gazetteer.ts";
import { GazetteerIndex } from "./gazetteer-index.ts";
import type { Coordinates } from "./place.ts";

/** Shortest degree of latitude, at the equator, in kilometres. */
const kmPerDegree = 110.57;

/** Bands in a degree of latitude. */
const bandsPerDegree = 10;

/** Codes that are indexed without a pause: a millisecond or two. */
const stepCodes = 2048;

/** A postal code near a point. */
export interface NearCode extends ListedCode {
  readonly km: number;
}

type NearbyData = Pick<Gazetteer, "facts" | "listCodes">;

/** Codes of each band of latitude, from the South Pole. */
type Bands = readonly (readonly ListedCode[])[];

/**
 * Finds the postal codes near a point. Of all codes, in bands by latitude, only those of the bands
 * within the radius are looked at. The bands are made at the first call, in steps of a few
 * milliseconds, and again after the data has changed.
 */
export class NearbyCodes {
  readonly #bands: GazetteerIndex<NearbyData, Bands>;

  constructor(gazetteer: NearbyData) {
    this.#bands = new GazetteerIndex(gazetteer, (data) => toBands(data.listCodes()));
  }

  /** All codes within the radius, the nearest first; equally near ones by country and code. */
  async find(center: Coordinates, radiusKm: number): Promise<readonly NearCode[]> {
    const bands = await this.#bands.current();
    const degrees = radiusKm / kmPerDegree;
    const first = bandOf(center.latitude - degrees);
    const last = bandOf(center.latitude + degrees);
    const near: NearCode[] = [];
    for (const band of bands.slice(first, last + 1)) {
      for (const code of band) {
        if (Math.abs(code.coordinates.latitude - center.latitude) > degrees) continue;
        const km = distanceKm(center, code.coordinates);
        if (km <= radiusKm) near.push({ ...code, km });
      }
    }
    return near.sort(
      (a, b) => a.km - b.km || compare(a.countryCode, b.countryCode) || compare(a.key, b.key),
    );
  }
}

function* toBands(codes: Iterable<ListedCode>): Generator<undefined, Bands> {
  const bands: ListedCode[][] = Array.from({ length: bandOf(90) + 1 }, () => []);
  let count = 0;
  for (const code of codes) {
    bands[bandOf(code.coordinates.latitude)]?.push(code);
    count += 1;
    if (count % stepCodes === 0) yield;
  }
  return bands;
}

/** Number of the band of a latitude; those beyond a pole are in its band. */
function bandOf(latitude: number): number {
  return Math.floor((Math.min(90, Math.max(-90, latitude)) + 90) * bandsPerDegree);
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
