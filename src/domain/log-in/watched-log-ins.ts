import type { AutoLogIn, AutoLogInOutcome } from "./auto-log-in.ts";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import type { LogIn, LogInOutcome } from "./log-in.ts";
import { LogInUnavailableError } from "./log-in-store.ts";

/** How a log-in ended: by its outcome, or by what kept it from being decided. */
export type LogInEnd =
  | LogInOutcome["kind"]
  | AutoLogInOutcome["kind"]
  | "busy"
  | "unavailable"
  | "failed";

/** The two ways in. */
export interface LogIns {
  readonly logIn: Pick<LogIn, "withPassword">;
  readonly autoLogIn: Pick<AutoLogIn, "withCookie">;
}

/**
 * Log-ins whose ends are told, with nothing of whose they are.
 *
 * @param told must not throw.
 */
export function watchLogIns(
  { logIn, autoLogIn }: LogIns,
  told: (by: "password" | "cookie", end: LogInEnd) => void,
): LogIns {
  async function watch<Outcome extends { readonly kind: LogInEnd }>(
    by: "password" | "cookie",
    outcome: Promise<Outcome>,
  ): Promise<Outcome> {
    let end: LogInEnd = "failed";
    try {
      const known = await outcome;
      end = known.kind;
      return known;
    } catch (cause) {
      if (cause instanceof TooManyLogInsError) end = "busy";
      else if (cause instanceof LogInUnavailableError) end = "unavailable";
      throw cause;
    } finally {
      told(by, end);
    }
  }
  return {
    logIn: {
      withPassword: (given, visitor) => watch("password", logIn.withPassword(given, visitor)),
    },
    autoLogIn: {
      withCookie: (given, visitor) => watch("cookie", autoLogIn.withCookie(given, visitor)),
    },
  };
}
