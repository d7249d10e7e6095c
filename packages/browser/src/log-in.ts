import type { Credentials, FormIds, LogInOutcome, LogOutOptions } from "./client/api-values.ts";
import { createClient, type Result } from "./client/client.ts";
import { settings } from "./settings.ts";

/** Logs a visitor in. A refused log-in is a value too: `success` is false. */
export function logIn(credentials: Credentials): Promise<Result<LogInOutcome>> {
  return createClient(settings).logIn(credentials);
}

/** Logs a visitor in who is remembered on this device, by default for the form of the page. */
export function autoLogIn(form?: FormIds): Promise<Result<LogInOutcome>> {
  const { formId, applicationInstanceId } = settings;
  return createClient(settings).autoLogIn({ formId, applicationInstanceId, ...form });
}

/** Ends the session of the visitor, or all sessions of the account. */
export function logOut(options?: LogOutOptions): Promise<Result<undefined>> {
  return createClient(settings).logOut(options);
}
