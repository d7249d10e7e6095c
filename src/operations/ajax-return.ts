import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { ShapeValue } from "../contract/operation.ts";

type AjaxReturn = ShapeValue<(typeof ajaxEndpoint)["operations"]["LogInUser"]["result"]>;

/** The answer to somebody who is logged in (contract §2.1). */
export function toAjaxReturn(who: {
  readonly contactId: bigint;
  readonly recordId: bigint;
}): AjaxReturn {
  return { Contact_Id: who.contactId, ErrorMessage: null, Record_Id: who.recordId, Success: true };
}

/** The answer to somebody who is not; the message is for people. */
export function notLoggedIn(message: string): AjaxReturn {
  return { Contact_Id: 0n, ErrorMessage: message, Record_Id: 0n, Success: false };
}
