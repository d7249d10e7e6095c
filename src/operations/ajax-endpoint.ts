import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { PageRequests } from "../domain/page-requests/record.ts";
import type { Implementation } from "./implementation.ts";
import { logPageRequest } from "./log-page-request.ts";

/** The operations of the AJAX endpoint over the log of page requests. */
export function implementAjaxEndpoint(
  pageRequests: PageRequests,
): Implementation<typeof ajaxEndpoint> {
  return { LogPageRequestAsync: logPageRequest(pageRequests) };
}
