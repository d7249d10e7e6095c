/** Writes batches of rows, one at a time. What it stands on may break; then it is opened again. */
export interface BatchWriter<Row> {
  /**
   * Makes it ready: called first, and again after a batch failed or the connection was lost.
   * Whatever was open before is closed; a row is written to prove that writing is possible.
   *
   * @param lost called once when, between two batches, it is found out that no batch can be written.
   */
  open(lost: (cause: unknown) => void): Promise<void>;
  /** Resolves once all rows are synced to disk. Rejects when none is, or when nobody can say. */
  write(rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}
