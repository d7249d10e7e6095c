import type pg from "pg";
import { type BatchWriter, insertProof, syncProof } from "../page-requests/batch-writer.ts";
import type { RowValues } from "../page-requests/columns.ts";
import { connectWriter } from "./connection.ts";

interface PostgresWriterParts {
  readonly url: string;
  /** Inserts the rows of its parameters, of which each is an array with the values of one column. */
  readonly insert: string;
  readonly columnCount: number;
}

/** Writes batches of page requests over one connection, each as one statement, which is one transaction. */
export class PostgresWriter implements BatchWriter<RowValues> {
  readonly #parts: PostgresWriterParts;
  #client: pg.Client | undefined;

  constructor(parts: PostgresWriterParts) {
    this.#parts = parts;
  }

  async open(lost: (cause: unknown) => void): Promise<void> {
    await this.close();
    const client = await connectWriter(this.#parts.url);
    // A connection that is lost emits up to three errors and its end; the first one says why.
    const { promise: why, resolve } = Promise.withResolvers<unknown>();
    client.on("error", resolve);
    client.on("end", () => resolve(new Error("PostgreSQL ended the connection")));
    void why.then(lost);
    this.#client = client;
    for (const sql of [...insertProof, syncProof]) await client.query(sql);
  }

  async write(rows: readonly RowValues[]): Promise<void> {
    if (this.#client === undefined) throw new Error("The connection to PostgreSQL is not open");
    const { insert, columnCount } = this.#parts;
    const columns = Array.from({ length: columnCount }, (_, column) =>
      rows.map((values) => values[column]),
    );
    // A name lets the server plan it once for each connection.
    await this.#client.query({ name: "insert-page-requests", text: insert, values: columns });
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.removeAllListeners("end");
    // What a lost connection has to say on its way out is of no use to anybody.
    await client.end().catch(() => {});
  }
}
