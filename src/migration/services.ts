import { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import { locationHelper } from "../contract/location-helper.ts";
import type { Operation } from "../contract/operation.ts";

/** The services that an old server has as well. */
export const services = [locationHelper, ajaxEndpoint];

/** Every operation by its name. */
export const operations: Readonly<Record<string, Operation>> = {
  ...locationHelper.operations,
  ...ajaxEndpoint.operations,
};
