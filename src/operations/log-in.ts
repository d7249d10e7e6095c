import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { LogIn, LogInOutcome } from "../domain/log-in/log-in.ts";
import { notLoggedIn, toAjaxReturn } from "./ajax-return.ts";
import { forbidden, runLogIn } from "./log-in-faults.ts";
import type { CallContext, OperationHandler } from "./operation-handler.ts";

type Code = OperationHandler<(typeof ajaxEndpoint)["operations"]["LogInUser"]>;

/** One sentence for every reason: which one it is would help nobody but a guesser (decision 0023). */
const refusedMessage =
  "Log-in failed. Check the user name and the password; after several failed attempts, wait a few minutes.";

/** Logs a visitor in (contract §4.1). A refused log-in is a normal answer, not a fault (contract §5, §7). */
export function logInUser(logIn: Pick<LogIn, "withPassword">): Code {
  return ({ userName, passWord }, context) =>
    runLogIn(async () => {
      const given = { userName, password: passWord };
      return answer(await logIn.withPassword(given, context.visitor()), context);
    });
}

function answer(outcome: LogInOutcome, context: CallContext) {
  switch (outcome.kind) {
    case "in":
      if (outcome.cookie !== null) context.changeCookie(outcome.cookie);
      return toAjaxReturn(outcome);
    case "refused":
      return notLoggedIn(refusedMessage);
    case "network-held": {
      context.retryAfter(outcome.retryAfterS);
      const minutes = Math.ceil(outcome.retryAfterS / 60);
      return notLoggedIn(
        `Too many log-ins from your network have failed. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
      );
    }
    case "forbidden":
      throw forbidden(context.visitor().origin);
  }
}
