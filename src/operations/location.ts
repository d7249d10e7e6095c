import type { locationHelper } from "../contract/location-helper.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import { getCityStateForPostalCode } from "./get-city-state-for-postal-code.ts";
import { getStateListForCountryId } from "./get-state-list-for-country-id.ts";
import type { OperationHandlers } from "./operation-handler.ts";
import { postalCodeToCityState } from "./postal-code-to-city-state.ts";

/** The operations of the location helper over a location. */
export function implementLocationHelper(
  location: PlaceLookup,
): OperationHandlers<typeof locationHelper> {
  return {
    PostalCodeToCityState: postalCodeToCityState(location),
    GetCityStateForPostalCode: getCityStateForPostalCode(location),
    GetStateListForCountryId: getStateListForCountryId(location),
  };
}
