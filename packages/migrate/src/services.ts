import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { Operation } from "@wfh/server/contract/operation.ts";

/** The services that an old server has as well. */
export const services = [locationHelper, ajaxEndpoint];

/** Every operation by its name. */
export const operations: Readonly<Record<string, Operation>> = {
  ...locationHelper.operations,
  ...ajaxEndpoint.operations,
};
