import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { AutoLogIn } from "../domain/log-in/auto-log-in.ts";
import type { LogIn } from "../domain/log-in/log-in.ts";
import type { VisitorSessions } from "../domain/log-in/sessions/visitor-sessions.ts";
import type { PageRequests } from "../domain/page-requests/record.ts";
import { logInUser } from "./log-in.ts";
import type { OperationHandlers } from "./operation-handler.ts";
import { logPageRequest } from "./page-requests.ts";
import { tryAutoLogIn } from "./try-auto-log-in.ts";

/** What the AJAX endpoint stands on. */
export interface AjaxEndpointDeps {
  readonly pageRequests: PageRequests;
  readonly sessions: Pick<VisitorSessions, "findFor">;
  readonly logIn: Pick<LogIn, "withPassword">;
  readonly autoLogIn: Pick<AutoLogIn, "withCookie">;
}

/** The operations of the AJAX endpoint. */
export function implementAjaxEndpoint({
  pageRequests,
  sessions,
  logIn,
  autoLogIn,
}: AjaxEndpointDeps): OperationHandlers<typeof ajaxEndpoint> {
  return {
    LogPageRequestAsync: logPageRequest(pageRequests, sessions),
    TryAutoLogIn: tryAutoLogIn(autoLogIn),
    LogInUser: logInUser(logIn),
  };
}
