/** What the store reports; its owner decides where that goes. */
export interface StoreLog {
  /** There was no database, or nothing in it, so that one was made. */
  databaseCreated(): void;
  /** Another server has the same SQLite file open. */
  databaseShared(): void;
  /** Rows can no longer be written: page requests are refused until `writerUp`. */
  writerDown(cause: unknown): void;
  /** Rows can be written again. */
  writerUp(): void;
  /** A run of the retention job that deleted rows has ended. */
  retentionDone(deletedRows: number): void;
  /** The retention job does not trust the clock, which is ahead of the latest run by this much, in milliseconds. */
  retentionClockAhead(aheadMs: number): void;
  /** A run of the retention job failed; the next one tries again. */
  retentionFailed(cause: unknown): void;
}
