import type { PlaceDetail } from "../../domain/location/place.ts";
import { detailBytes, unitsPerDegree } from "./layout.ts";

/** Detail of a place in a layout that has none. */
export const unknownDetail: PlaceDetail = { coordinates: null, county: null };

/** Creates a reader of the section details, by number of the record; empty in an older layout. */
export function createDetailReader(
  details: DataView,
  counties: readonly string[],
): (number: number) => PlaceDetail {
  return (number) => {
    const at = number * detailBytes;
    if (at >= details.byteLength) return unknownDetail;
    const latitude = readInt24(details, at) / unitsPerDegree;
    const longitude = readInt24(details, at + 3) / unitsPerDegree;
    const isPoint = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    return {
      coordinates: isPoint ? { latitude, longitude } : null,
      county: counties[details.getUint16(at + 6, true) - 1] ?? null,
    };
  };
}

/** Signed number of 24 bits. */
function readInt24(view: DataView, at: number): number {
  return view.getInt16(at + 1, true) * 256 + view.getUint8(at);
}
