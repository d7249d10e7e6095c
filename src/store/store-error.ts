/** The store cannot be opened or read. The message is for the operator and names what to do; it holds no password. */
export class StoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
  }
}

/** As a {@link StoreError}, but waiting may help: the database is down or frozen, its disk is full, another program has it locked. */
export class StoreUnavailableError extends StoreError {}

/** Code of an error after which a SQLite file cannot be used until it has been opened again. */
export const fileLost = "WFH_FILE_LOST";
