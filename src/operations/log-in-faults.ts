import { TooManyLogInsError } from "../domain/log-in/limits/concurrency-limiter.ts";
import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { Fault } from "../fault.ts";

/** Longest origin that is repeated, in characters. */
const originMax = 300;

/** What a page is told that may not log anybody in. */
export function forbidden(origin: string | null): Fault {
  const pages = `Pages of ${origin?.slice(0, originMax) || "another site"}`;
  return new Fault(
    "forbidden",
    `${pages} may not log anybody in: the origin is listed for no form (wfh forms set --origin).`,
    {
      hint: `${pages}: list the origin with wfh forms set --origin, or set WFH_BASE_URL if the page is our own`,
    },
  );
}

/**
 * Runs a log-out.
 *
 * @throws {Fault} `unavailable` when it cannot be done.
 */
export async function runLogOut(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    if (!(cause instanceof LogInUnavailableError)) throw cause;
    const message = "You are still logged in: the database does not answer. Try again later.";
    throw new Fault("unavailable", message, { cause, hint: reasonOf(cause) });
  }
}

/** What the database said, for the log. */
function reasonOf({ cause }: LogInUnavailableError): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * Runs a log-in; what keeps it from being decided becomes a fault. A log-in that is refused is none (contract §7).
 *
 * @throws {Fault} `busy` or `unavailable`.
 */
export async function runLogIn<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof TooManyLogInsError) {
      const message = "Nobody was logged in: too many are logging in. Try again in a moment.";
      throw new Fault("busy", message, { cause });
    }
    if (cause instanceof LogInUnavailableError) {
      const message = "Nobody was logged in: the database does not answer. Try again later.";
      throw new Fault("unavailable", message, { cause, hint: reasonOf(cause) });
    }
    throw cause;
  }
}
