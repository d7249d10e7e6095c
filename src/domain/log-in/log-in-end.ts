import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { LogInUnavailableError } from "./log-in-store.ts";

/** How a log-in ended: `in` to `forbidden` by its outcome, the others by what kept it from being decided. */
export type LogInEnd =
  | "in"
  | "refused"
  | "not"
  | "network-held"
  | "forbidden"
  | "busy"
  | "unavailable"
  | "failed";

/** Receives how each log-in ended, and nothing of whose it was. Must not throw. */
export type OnLogInEnd = (by: "password" | "cookie", end: LogInEnd) => void;

/** Passes the outcome or error of a log-in on, and reports which it was. */
export async function reportEnd<Outcome extends { readonly kind: LogInEnd }>(
  onEnd: OnLogInEnd,
  by: "password" | "cookie",
  logIn: Promise<Outcome>,
): Promise<Outcome> {
  let end: LogInEnd = "failed";
  try {
    const outcome = await logIn;
    end = outcome.kind;
    return outcome;
  } catch (cause) {
    if (cause instanceof TooManyLogInsError) end = "busy";
    else if (cause instanceof LogInUnavailableError) end = "unavailable";
    throw cause;
  } finally {
    onEnd(by, end);
  }
}
