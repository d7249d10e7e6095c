import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { restApi } from "../contract/rest-api.ts";
import type { AutoLogIn } from "../domain/log-in/auto-log-in.ts";
import { TooManyLogInsError } from "../domain/log-in/limits/concurrency-limiter.ts";
import type { LogIn, LogInOutcome } from "../domain/log-in/log-in.ts";
import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import type { VisitorSessions } from "../domain/log-in/sessions/visitor-sessions.ts";
import { Fault, pagesOf } from "../fault.ts";
import type { CallContext, OperationHandlers } from "./operation-handler.ts";

/** Collaborators of the log-in operations. */
interface LogInOperationDeps {
  readonly logIn: Pick<LogIn, "withPassword">;
  readonly autoLogIn: Pick<AutoLogIn, "withCookie">;
}

/**
 * The log-in operations of the AJAX endpoint (contract §4.1). A refused log-in is a normal result,
 * not a fault (contract §5, §7); a fault says that there is no result yet.
 */
export function logInOperations({
  logIn,
  autoLogIn,
}: LogInOperationDeps): Pick<OperationHandlers<typeof ajaxEndpoint>, "LogInUser" | "TryAutoLogIn"> {
  return {
    LogInUser: async ({ userName, passWord }, context) => {
      const given = { userName, password: passWord };
      const outcome = await logIn.withPassword(given, context.visitor()).catch(throwLogInFault);
      return toResult(outcome, context);
    },
    // By the cookie of an earlier log-in (decision 0024).
    TryAutoLogIn: async ({ form_id: formId, applicationInstance_id: instanceId }, context) => {
      const given = { formId, instanceId };
      const outcome = await autoLogIn.withCookie(given, context.visitor()).catch(throwLogInFault);
      if (outcome.kind === "forbidden") throw forbidden(context.visitor().origin);
      if (outcome.cookie !== null) context.changeCookie(outcome.cookie);
      if (outcome.kind === "in") return loggedIn(outcome);
      if (outcome.retryAfterS !== null) context.retryAfter(outcome.retryAfterS);
      // One sentence for every reason.
      return notLoggedIn("You are not logged in.");
    },
  };
}

function toResult(outcome: LogInOutcome, context: CallContext): AjaxReturn {
  switch (outcome.kind) {
    case "in":
      if (outcome.cookie !== null) context.changeCookie(outcome.cookie);
      return loggedIn(outcome);
    case "refused":
      // One sentence for every reason: the reason would only help an attacker (decision 0023).
      return notLoggedIn(
        "Log-in failed. Check the user name and the password; after several failed attempts, wait a few minutes.",
      );
    case "network-blocked": {
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

type AjaxReturn = ShapeValue<(typeof ajaxEndpoint)["operations"]["LogInUser"]["result"]>;

/** Contract §2.1. */
function loggedIn({ contactId, recordId }: { contactId: bigint; recordId: bigint }): AjaxReturn {
  return { Contact_Id: contactId, ErrorMessage: null, Record_Id: recordId, Success: true };
}

/** Contract §2.1; the message is for people. */
function notLoggedIn(message: string): AjaxReturn {
  return { Contact_Id: 0n, ErrorMessage: message, Record_Id: 0n, Success: false };
}

/** The fault of a page that may not log anyone in. */
function forbidden(origin: string | null): Fault {
  const pages = pagesOf(origin);
  return new Fault(
    "forbidden",
    `${pages} may not log in: no form lists this origin. Add it with wfh forms add --origin.`,
    {
      hint: `${pages}: list the origin with wfh forms add (or set) --origin, or set WFH_BASE_URL if the page is our own`,
    },
  );
}

/** Throws the fault of a log-in without a result; any other error as it is. */
function throwLogInFault(cause: unknown): never {
  if (cause instanceof TooManyLogInsError) {
    const message = "Not logged in: too many log-ins are in progress. Try again in a moment.";
    throw new Fault("busy", message, { cause });
  }
  throw unavailable(cause, "Not logged in");
}

type LogInResources = Pick<OperationHandlers<typeof restApi>, "logIn" | "autoLogIn" | "logOut">;
type LogInResult = Awaited<ReturnType<LogInResources["logIn"]>>;

/** Log-in over REST: as over the AJAX endpoint, and the log-out (decisions 0025 and 0057). */
export function logInResources(
  operations: ReturnType<typeof logInOperations>,
  sessions: Pick<VisitorSessions, "logOut">,
): LogInResources {
  return {
    logIn: async ({ userName, password }, context) =>
      toLogInResult(await operations.LogInUser({ userName, passWord: password }, context)),
    autoLogIn: async ({ formId, applicationInstanceId }, context) => {
      const given = { form_id: formId, applicationInstance_id: applicationInstanceId };
      return toLogInResult(await operations.TryAutoLogIn(given, context));
    },
    // It responds in the same way when there was no session.
    logOut: async ({ everywhere }, context) => {
      await sessions.logOut(context.visitor(), everywhere === true).catch((cause) => {
        throw unavailable(cause, "You are still logged in");
      });
      context.changeCookie("log-out");
    },
  };
}

function toLogInResult(result: AjaxReturn | null): LogInResult {
  if (result === null) return null;
  const { Success: success, Contact_Id, Record_Id, ErrorMessage: message } = result;
  return success
    ? { success, contactId: Contact_Id, recordId: Record_Id, message }
    : { success, contactId: null, recordId: null, message };
}

/** The fault of a database that does not respond, with its error as hint; others as they are. */
function unavailable(cause: unknown, state: string): unknown {
  if (!(cause instanceof LogInUnavailableError)) return cause;
  const message = `${state}: the database does not respond. Try again later.`;
  return new Fault("unavailable", message, { cause, hint: cause.message });
}
