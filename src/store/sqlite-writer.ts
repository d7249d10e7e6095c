import { type BatchWriter, insertProof, syncProof } from "./page-requests/batch-writer.ts";
import type { RowValues } from "./page-requests/columns.ts";
import type { DiskSpace } from "./page-requests/disk-reserve.ts";
import type { SqliteThread } from "./sqlite/thread.ts";

interface SqliteWriterParts {
  readonly thread: SqliteThread;
  readonly file: string;
  /** Inserts one row. */
  readonly insert: string;
}

/** Writes batches of page requests through the thread of a SQLite file, one message each way. */
export class SqliteWriter implements BatchWriter<RowValues> {
  readonly #parts: SqliteWriterParts;

  constructor(parts: SqliteWriterParts) {
    this.#parts = parts;
  }

  open(lost: (cause: unknown) => void): Promise<void> {
    const { thread, file } = this.#parts;
    thread.onLost(lost);
    return thread.exclusively(async () => {
      await thread.perform({ kind: "open", file, mode: "write" });
      try {
        for (const sql of insertProof) await thread.perform({ kind: "run", sql, values: [] });
      } catch (cause) {
        // Others use the thread too, and would write into a transaction that nobody commits.
        await thread.perform({ kind: "close" });
        throw cause;
      }
      await thread.perform({ kind: "batch", sql: syncProof, rows: [[]] });
      thread.limitTime();
    });
  }

  async check(): Promise<DiskSpace> {
    const { thread, file } = this.#parts;
    const { disk } = await thread.perform({ kind: "check", file });
    if (disk === undefined) throw new Error("The thread has not said how much space there is");
    return disk;
  }

  async write(rows: readonly RowValues[]): Promise<void> {
    const { thread, insert } = this.#parts;
    await thread.exclusively(() => thread.perform({ kind: "batch", sql: insert, rows }));
  }

  /** The thread is others' too, and ended by whoever started it. */
  async close(): Promise<void> {}
}
