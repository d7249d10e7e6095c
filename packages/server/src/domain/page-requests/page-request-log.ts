import type { StoredPageRequest } from "./page-request.ts";

/** Where page requests are kept. */
export interface PageRequestLog {
  /**
   * Resolves once the page request is on disk, not before.
   *
   * @throws {NotStoredError} when it was not stored, or when that cannot be known.
   */
  append(pageRequest: StoredPageRequest): Promise<void>;
}

/**
 * Ready to take page requests, or why not. `database`: it cannot be written to. `disk-reserve`:
 * too little is free on its disk. `queue-full`: too many wait to be written.
 */
export type Readiness = "ready" | "database" | "disk-reserve" | "queue-full";

/**
 * Reason why a page request cannot be acknowledged. `busy`: more wait than can be stored in time.
 * `too-many`: its network has sent too many. `unavailable`: the database cannot be written to.
 * `unknown`: the write failed in the middle, so that the row may be there.
 */
export type NotStoredReason = "busy" | "too-many" | "unavailable" | "unknown";

/** A page request that cannot be acknowledged. */
export class NotStoredError extends Error {
  readonly reason: NotStoredReason;

  constructor(reason: NotStoredReason, cause?: unknown) {
    super(
      `The page request cannot be acknowledged: ${reason}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "NotStoredError";
    this.reason = reason;
  }
}
