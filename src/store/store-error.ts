/**
 * The database cannot be opened or used, and waiting does not help. The message is for the operator and names what to
 * do; it contains no password.
 */
export class StoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
  }
}

/** The database is unavailable and may come back: it is down, its disk is full, or another program has it locked. */
export class StoreUnavailableError extends StoreError {}

/** Code of an error after which a SQLite file cannot be used until it has been opened again. */
export const fileLost = "WFH_FILE_LOST";

/** The message of an error; one over several addresses of one name has only a code. */
export function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}
