import type { StoredPageRequest } from "./page-request.ts";

/** Where page requests are kept. */
export interface PageRequestLog {
  /**
   * Resolves once the page request is on disk, not before.
   *
   * @throws {NotStoredError} when it was not stored, or when nobody can say whether it was.
   */
  append(pageRequest: StoredPageRequest): Promise<void>;
}

/** A page request that cannot be acknowledged. */
export class NotStoredError extends Error {
  /** `busy`: more wait than can be stored in time. `unavailable`: the database cannot be written to. */
  readonly reason: "busy" | "unavailable";

  constructor(reason: "busy" | "unavailable", cause?: unknown) {
    super(
      `The page request was not stored: ${reason}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "NotStoredError";
    this.reason = reason;
  }
}
