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

/** The secret key of this server is not that of the database. */
export class OtherKeyError extends StoreError {
  constructor() {
    super(
      "The secret key of this server is not that of the database: all nodes of one database need the same key. Copy the key file of another node to this one (WFH_KEY_FILE), or set the same WFH_SECRET_KEYS. If that key is lost, run: wfh keys accept",
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
