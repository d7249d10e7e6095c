/** The store cannot be opened or read. The message is for the operator and names what to do; it holds no password. */
export class StoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
  }
}
