import type { locationHelper } from "../contract/location-helper.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { OperationHandler } from "./operation-handler.ts";

type Code = OperationHandler<(typeof locationHelper)["operations"]["GetStateListForCountryId"]>;

/** Does the look-up of GetStateListForCountryId, which the contract gives no answer (§4.2, decision 0011). */
export function getStateListForCountryId(location: PlaceLookup): Code {
  return ({ countryId }, context) => {
    context.found(location.listStates(countryId).length);
  };
}
