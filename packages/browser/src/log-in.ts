import type { Credentials, FormIds, LogInOutcome, LogOutOptions } from "./client/api-values.ts";
import { createClient, type Result } from "./client/client.ts";
import { pageSettings } from "./settings.ts";

/** Logs a visitor in. A refused log-in is a value too: `success` is false. */
export function logIn(credentials: Credentials): Promise<Result<LogInOutcome>> {
  return createClient(pageSettings).logIn(credentials);
}

/** Logs a visitor in who is remembered on this device, by default for the form of the page. */
export function autoLogIn(form?: FormIds): Promise<Result<LogInOutcome>> {
  const { formId, applicationInstanceId } = pageSettings;
  return createClient(pageSettings).autoLogIn({ formId, applicationInstanceId, ...form });
}

/** Ends the session of the visitor, or all sessions of the account. */
export function logOut(options?: LogOutOptions): Promise<Result<undefined>> {
  return createClient(pageSettings).logOut(options);
}
