import type { Gazetteer } from "@wfh/server/domain/location/gazetteer.ts";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import { iso31661, iso31662 } from "iso-3166";
import type { UsZips } from "./us-zips.ts";

/** A statement about the data that was found to be true or not. */
export interface Check {
  readonly title: string;
  readonly holds: boolean;
}

/** Codes that every build has: cities, territories, military mail, a building, the north. */
const samples: Readonly<Record<string, string>> = {
  "00601": "Adjuntas PR",
  "00704": "Aguirre PR",
  "02108": "Boston MA",
  "09001": "APO AE",
  "10001": "New York NY",
  "20500": "Washington DC",
  "34001": "DPO AA",
  "60601": "Chicago IL",
  "90210": "Beverly Hills CA",
  "96799": "Pago Pago AS",
  "96940": "Koror PW",
  "99950": "Ketchikan AK",
  K1A: "Ottawa ON",
  M5V: "Toronto ON",
  T3T: "Tsuut'ina AB",
  X0A: "Iqaluit NU",
};

/** Fewest ZIP codes of a build that is complete; the union of all sources had 42 807 in 2026. */
const zipsMin = 42_750;

/** Fewest areas of Canada of a build that is complete; there were 1652 in 2026. */
const areasMin = 1640;

/** Sources as read, and the artifact built from them. */
interface CheckedData {
  readonly us: UsZips;
  readonly canada: readonly PostalCodePlace[];
  readonly gazetteer: Gazetteer;
}

/** Checks the sources and the artifact built from them. */
export function checkData({ us, canada, gazetteer }: CheckedData): readonly Check[] {
  const usStates = gazetteer.listStates(840).filter(({ active }) => active);
  const { stateDisagreements } = us;
  const found = us.rows.filter(({ key, city, stateId }) => {
    const place = gazetteer.findPlace(key, () => 0);
    return place?.city === city && place.state.id === stateId;
  });
  return [
    {
      title: `${stateDisagreements.length} ZIP codes in another state than the list of the Postal Service has (must be 0)`,
      holds: stateDisagreements.length === 0,
    },
    {
      title: `${us.rows.length} ZIP codes (at least ${zipsMin})`,
      holds: us.rows.length >= zipsMin,
    },
    {
      title: `${found.length} ZIP codes read back from the artifact as written (must be all)`,
      holds: found.length === us.rows.length,
    },
    checkAreas(canada),
    { title: `${usStates.length} states of the US (must be 62)`, holds: usStates.length === 62 },
    checkStateIds(),
    ...Object.entries(samples).map(([zip, text]) => {
      return { title: `${zip} is ${text}`, holds: findText(gazetteer, zip) === text };
    }),
    { title: "00000 is nowhere", holds: findText(gazetteer, "00000") === undefined },
  ];
}

function findText(gazetteer: Gazetteer, key: string): string | undefined {
  const place = gazetteer.findPlace(key, () => 0);
  return place && `${place.city} ${place.state.abbreviation}`;
}

function checkAreas(canada: readonly PostalCodePlace[]): Check {
  const keys = [...new Set(canada.map(({ key }) => key))];
  const others = keys.filter((key) => !/^[A-Z]\d[A-Z]$/.test(key));
  return {
    title: `${keys.length} forward sortation areas of Canada (at least ${areasMin}), ${others.length} other codes (must be 0)`,
    holds: keys.length >= areasMin && others.length === 0,
  };
}

/** Over all of ISO 3166-2, not only the level that we list: an import may use the others. */
function checkStateIds(): Check {
  const numbers = new Map(iso31661.map(({ alpha2, numeric }) => [alpha2, Number(numeric)]));
  const ids = iso31662.map(({ code }) => {
    return toStateId(numbers.get(code.slice(0, 2)) ?? 0, code.slice(3));
  });
  const collisions = ids.length - new Set(ids).size;
  return {
    title: `${collisions} collisions among the ids of ${ids.length} ISO 3166-2 codes (must be 0)`,
    holds: collisions === 0 && Math.max(...ids) < 2 ** 31,
  };
}
