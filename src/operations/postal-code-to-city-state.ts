import type { locationHelper } from "../contract/location-helper.ts";
import type { Location } from "../domain/location/lookup.ts";
import { toLocationResult } from "./location-result.ts";
import type { Implement } from "./operation-handler.ts";

type Code = Implement<(typeof locationHelper)["operations"]["PostalCodeToCityState"]>;

/** Answers PostalCodeToCityState (contract §4.2); a code that is not known has no result (decision 0007). */
export function postalCodeToCityState(location: Location): Code {
  return ({ postalCode }, context) => {
    const place = location.findPlace(postalCode);
    context.found(place === undefined ? 0 : 1);
    return place === undefined ? null : toLocationResult(place);
  };
}
