import type { locationHelper } from "../contract/location-helper.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import { toLocationResult } from "./location-result.ts";
import type { OperationHandler } from "./operation-handler.ts";

type Code = OperationHandler<(typeof locationHelper)["operations"]["PostalCodeToCityState"]>;

/** Answers PostalCodeToCityState (contract §4.2); a code that is not known has no result (decision 0007). */
export function postalCodeToCityState(location: PlaceLookup): Code {
  return ({ postalCode }, context) => {
    const place = location.findPlace(postalCode);
    context.found(place === undefined ? 0 : 1);
    return place === undefined ? null : toLocationResult(place);
  };
}
