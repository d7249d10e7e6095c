import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { type CheckResult, toRefusal } from "../lib/check.ts";
import { otherKey } from "./problems.ts";

/**
 * The database cannot be opened or used, and waiting does not help. The message tells the operator
 * what to do, without a password. Log-ins take it as it is: no call translates it.
 */
export class StoreError extends LogInUnavailableError {
  /** @param found what happened, or a problem with its remedy. */
  constructor(found: string | CheckResult, cause?: unknown) {
    const message = typeof found === "string" ? found : toRefusal(found);
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
  }
}

/** The database may come back: it is down, its disk is full, or another program has it locked. */
export class StoreUnavailableError extends StoreError {}

/** The secret key of this server is not that of the database. */
export class OtherKeyError extends StoreError {
  /** @param hint which key this server has. */
  constructor(hint = "") {
    super(toRefusal(otherKey) + hint);
  }
}

/** Another server has the SQLite file: a start fails at once, and a later one may not. */
export class OtherServerError extends StoreError {
  constructor(file: string) {
    super(
      `Another server has the SQLite file ${file} open. Stop it, or use PostgreSQL for several servers`,
    );
  }
}

/** Code of an error after which a SQLite file cannot be used until it has been opened again. */
export const fileLost = "WFH_FILE_LOST";

/** The message of an error; one over several addresses of one name has only a code. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}
