import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { Part, ServiceContract, Shape } from "@wfh/server/contract/operation.ts";
import type { OldPlace } from "./data.ts";

type Parts = Readonly<Record<string, Part>>;

/** Changes of types, each with the path of the difference that comparisons find in SOAP. */
const shapeChanges: Readonly<Record<string, (parts: Parts) => Parts>> = {
  LocationUIHelperResponse: (parts) => ({ ...parts, County_id: { type: "int" } }),
  State: ({ Active, ...parts }) => ({ Active: Active ?? { type: "boolean" }, ...parts }),
  Country: ({ CountryAlias: _, ...parts }) => parts,
  Continent: ({ Continent_id, ...parts }) => ({
    ...parts,
    Number: Continent_id ?? { type: "int" },
  }),
};

/** The location helper with reordered parts of State, a part less, one more and one renamed. */
export const changedLocationHelper: ServiceContract = {
  ...locationHelper,
  operations: Object.fromEntries(
    Object.entries(locationHelper.operations as ServiceContract["operations"]).map(
      ([name, operation]) => [
        name,
        operation.result === undefined
          ? operation
          : { ...operation, result: changeShape(operation.result) },
      ],
    ),
  ),
};

function changeShape({ name, parts }: Shape): Shape {
  const inner = Object.entries(parts).map(([part, { type, ...rest }]): [string, Part] => [
    part,
    { ...rest, type: typeof type === "string" ? type : changeShape(type) },
  ]);
  return {
    name,
    parts: shapeChanges[name]?.(Object.fromEntries(inner)) ?? Object.fromEntries(inner),
  };
}

/** Codes with another place than before. */
export const changedPlaces: Readonly<Record<string, (place: OldPlace) => OldPlace>> = {
  "10001": (place) => ({ ...place, City: "Nueva York" }),
  "10002": (place) => ({ ...place, City: "" }),
  "10003": (place) => ({ ...place, City: ` ${place.City}` }),
  "10004": ({ City, State }) => ({ City, State: State && { ...State, Active: false } }),
  "10005": ({ City, State }) => ({
    City,
    State: State && { ...State, State_id: State.State_id + 1 },
  }),
  "10006": ({ City, State }) => ({ City, State: State && { ...State, StateName: null } }),
  "10007": ({ City, State }) => ({ City, State: State && { ...State, Country: null } }),
  "10008": ({ City }) => ({ City, State: null }),
};

/** Where the result is, by binding. */
export const rootOf = {
  soap11: "PostalCodeToCityStateResult",
  soap12: "PostalCodeToCityStateResult",
  "http-get": "LocationUIHelperResponse",
  "http-post": "LocationUIHelperResponse",
  json: "d",
};
/** Differences that the changed server makes within it. */
export const seeded = [
  "/County_id missing",
  "/State order",
  "/State/Country/CountryAlias added",
  "/City value",
  "/State/Active value",
  "/State/State_id value",
  "/State/StateName added",
  "/State/Country added",
  "/State added",
];
