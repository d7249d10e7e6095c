import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { AutoLogIn } from "../domain/log-in/auto-log-in.ts";
import { notLoggedIn, toAjaxReturn } from "./ajax-return.ts";
import { forbidden, runLogIn } from "./log-in-faults.ts";
import type { OperationHandler } from "./operation-handler.ts";

type Code = OperationHandler<(typeof ajaxEndpoint)["operations"]["TryAutoLogIn"]>;

/** One sentence for every reason. */
const notRemembered = "You are not logged in.";

/** Logs a visitor in by the cookie of an earlier log-in (contract §4.1, decision 0024). */
export function tryAutoLogIn(autoLogIn: Pick<AutoLogIn, "withCookie">): Code {
  return ({ form_id: formId, applicationInstance_id: instanceId }, context) =>
    runLogIn(async () => {
      const outcome = await autoLogIn.withCookie({ formId, instanceId }, context.visitor());
      if (outcome.kind === "forbidden") throw forbidden(context.visitor().origin);
      if (outcome.cookie !== null) context.changeCookie(outcome.cookie);
      if (outcome.kind === "in") return toAjaxReturn(outcome);
      if (outcome.retryAfterS !== null) context.retryAfter(outcome.retryAfterS);
      return notLoggedIn(notRemembered);
    });
}
