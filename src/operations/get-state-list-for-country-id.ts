import type { locationHelper } from "../contract/location-helper.ts";
import type { Location } from "../domain/location/lookup.ts";
import type { Implement } from "./operation-handler.ts";

type Code = Implement<(typeof locationHelper)["operations"]["GetStateListForCountryId"]>;

/** Does the look-up of GetStateListForCountryId, which the contract gives no answer (§4.2, decision 0011). */
export function getStateListForCountryId(location: Location): Code {
  return ({ countryId }, context) => {
    context.found(location.listStates(countryId).length);
  };
}
