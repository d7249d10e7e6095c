import pg from "pg";
import type { SqlValue } from "../sql.ts";

type Rows = readonly (readonly SqlValue[])[];

/** Characters that mean something else in the text format of COPY, and how they are written. */
const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * Inserts rows with a statement `COPY … FROM STDIN`, which commits by itself (decision 0070).
 * Resolves when the server is ready for the next statement; rejects when `query` of the client
 * would, also after its time.
 */
export function copyRows(client: pg.Client, sql: string, rows: Rows): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const messages = toMessages(rows);
  const query = new pg.Query(sql, (cause?: Error) => (cause ? reject(cause) : resolve()));
  const copy = Object.assign(query, {
    // All at once: the server holds locks from the beginning, and waits for rows without limit.
    submit: (connection: pg.Connection) => {
      connection.stream.cork();
      connection.query(sql);
      connection.stream.write(messages);
      connection.stream.uncork();
    },
    // The driver calls it when the server wants the rows, which are on their way.
    handleCopyInResponse: () => {},
  });
  client.query(copy);
  return promise;
}

/** CopyData with all rows, then CopyDone: a letter and the length, its own four bytes included. */
function toMessages(rows: Rows): Buffer {
  let text = "";
  for (const row of rows) text += `${row.map(toField).join("\t")}\n`;
  const length = Buffer.byteLength(text);
  const messages = Buffer.allocUnsafe(length + 10);
  messages.write("d");
  messages.writeInt32BE(length + 4, 1);
  messages.write(text, 5);
  messages.write("c", length + 5);
  messages.writeInt32BE(4, length + 6);
  return messages;
}

function toField(value: SqlValue): string {
  if (value === null) return "\\N";
  if (typeof value !== "string") return String(value);
  return value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? "");
}
