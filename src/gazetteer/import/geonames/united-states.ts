/** Files of GeoNames that the Postal Service of the United States sees as states; decision 0003. */
export const usTerritories: readonly string[] = ["AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"];

/** Regions of military mail, where APO, FPO or DPO stands for the city. */
export const militaryStates: readonly string[] = ["AA", "AE", "AP"];

/** Military mail by the first three digits of its ZIP codes, as `zip-state` has it; nothing else is there. */
const militaryAreas: readonly { readonly pattern: RegExp; readonly state: string }[] = [
  { pattern: /^340/, state: "AA" },
  { pattern: /^09/, state: "AE" },
  { pattern: /^96[2-6]/, state: "AP" },
];

/** Region of military mail that a ZIP code is of; undefined when it is none. */
export function findMilitaryState(zip: string): string | undefined {
  return militaryAreas.find(({ pattern }) => pattern.test(zip))?.state;
}

/** `"APO AE"` and `"Apo"` give `"APO"`: the region is the state. Undefined for a place that is no post office. */
export function toMilitaryCity(place: string): string | undefined {
  return /^(?:APO|FPO|DPO)\b/.exec(place.toUpperCase())?.[0];
}
