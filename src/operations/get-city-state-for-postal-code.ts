import type { locationHelper } from "../contract/location-helper.ts";
import type { Location } from "../domain/location/lookup.ts";
import type { Implement } from "./operation-handler.ts";

type Code = Implement<(typeof locationHelper)["operations"]["GetCityStateForPostalCode"]>;

/** Does the look-up of GetCityStateForPostalCode, which the contract gives no answer (§4.2, decision 0011). */
export function getCityStateForPostalCode(location: Location): Code {
  return ({ postalCode }, context) => {
    context.found(location.findPlace(postalCode) === undefined ? 0 : 1);
  };
}
