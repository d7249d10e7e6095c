import type { locationHelper } from "../contract/location-helper.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { OperationHandler } from "./operation-handler.ts";

type Code = OperationHandler<(typeof locationHelper)["operations"]["GetCityStateForPostalCode"]>;

/** Does the look-up of GetCityStateForPostalCode, which the contract gives no answer (§4.2, decision 0011). */
export function getCityStateForPostalCode(location: PlaceLookup): Code {
  return ({ postalCode }, context) => {
    context.found(location.findPlace(postalCode) === undefined ? 0 : 1);
  };
}
