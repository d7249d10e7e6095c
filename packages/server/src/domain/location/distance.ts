import type { Coordinates } from "./place.ts";

/** WGS 84: radius of the equator in kilometres, and flattening. */
const equatorKm = 6378.137;
const flattening = 1 / 298.257_223_563;

const radians = Math.PI / 180;

/**
 * Distance of two points on the ground, in kilometres: Lambert's formula, which corrects that of a
 * sphere for the flattening. Within 0.1 % of the geodesic, but near the other side of the Earth.
 */
export function distanceKm(one: Coordinates, other: Coordinates): number {
  const latitude1 = Math.atan((1 - flattening) * Math.tan(one.latitude * radians));
  const latitude2 = Math.atan((1 - flattening) * Math.tan(other.latitude * radians));
  const halfNorth = Math.sin((latitude2 - latitude1) / 2);
  const halfEast = Math.sin(((other.longitude - one.longitude) * radians) / 2);
  const haversine =
    halfNorth * halfNorth + Math.cos(latitude1) * Math.cos(latitude2) * halfEast * halfEast;
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(haversine)));
  if (angle === 0) return 0;
  const mean = (latitude1 + latitude2) / 2;
  const half = (latitude2 - latitude1) / 2;
  const x =
    ((angle - Math.sin(angle)) * (Math.sin(mean) * Math.cos(half)) ** 2) / Math.cos(angle / 2) ** 2;
  const y =
    ((angle + Math.sin(angle)) * (Math.cos(mean) * Math.sin(half)) ** 2) / Math.sin(angle / 2) ** 2;
  return equatorKm * (angle - (flattening / 2) * (x + y));
}
