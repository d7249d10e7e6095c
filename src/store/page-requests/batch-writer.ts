import type { SqlValue } from "../sql.ts";
import type { DiskSpace } from "./disk-reserve.ts";

/** Values of one row in the order of its columns. */
export type RowValues = readonly SqlValue[];

/** Writes batches of rows, one at a time, over a connection that may be lost and is opened anew then. */
export interface BatchWriter<Row = RowValues> {
  /**
   * Makes it ready: called first, and again after a batch failed or the connection was lost.
   * Whatever was open before is closed; a row is written to prove that writing is possible.
   *
   * @param lost called when it is found out that no further batch can be written.
   */
  open(lost: (cause: unknown) => void): Promise<void>;
  /**
   * Resolves once all rows are synced to disk. Rejects when they are not, or when that is unknown: also when it takes longer
   * than 5 seconds.
   */
  write(rows: readonly Row[]): Promise<void>;
  /**
   * Resolves to the space on its disk, also while a batch is written; rejects when no further one can be. Only for a
   * writer whose disk is ours.
   */
  check?(): Promise<DiskSpace>;
  close(): Promise<void>;
}

/**
 * Proves that a page request can be inserted, and leaves none: run one after the other when a writer is
 * opened. (In PostgreSQL it uses up a number, so that ids have gaps.) That it can be synced too is proved by another row, which is kept.
 */
export const insertProof = [
  "BEGIN",
  "INSERT INTO page_requests (request_id, arrived_at) VALUES ('proof', 0)",
  "ROLLBACK",
];

/** Writes a row that is kept, so that a sync is part of opening. */
export const syncProof = "UPDATE writer_state SET opened_count = opened_count + 1";
