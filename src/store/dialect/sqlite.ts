import { resolve } from "node:path";
import {
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { pageRequestColumns } from "../page-request-columns.ts";
import type { Tables } from "../schema.ts";
import { SqliteThreadDriver } from "../sqlite-driver.ts";
import type { SqliteMode } from "../sqlite-messages.ts";
import { SqliteThread } from "../sqlite-thread.ts";
import { SqliteWriter } from "../sqlite-writer.ts";
import { StoreError } from "../store-error.ts";
import type { Connections, Dialect } from "./dialect.ts";

/**
 * SQLite, which is built into Node.js. One thread writes, another reads: both wait for the disk, and
 * the thread that serves does not.
 */
export const sqlite: Dialect = {
  // In a strict table every integer has 64 bits, and a boolean is one of them.
  types: { text: "text", int64: "integer", int32: "integer", boolean: "integer" },
  countUp: (column) => column.primaryKey().autoIncrement(),
  endTable: (table) => table.modifyEnd(sql`strict`),
  // A transaction here begins as the only writer of the file.
  lockSchema: async () => {},
  hasTable: async (database, name) => {
    const found = await sql`select 1 from sqlite_schema where name = ${name}`.execute(database);
    return found.rows.length > 0;
  },
  connect,
};

async function connect(url: string, access: "write" | "read"): Promise<Connections> {
  const file = fileOf(url);
  const reader = new SqliteThread();
  const reading = kyselyOver(reader, openOnce(reader, file, "read"));
  if (access === "read") {
    await opening(url, () => sql`select 1`.execute(reading));
    return { writing: reading, reading, writers: [], close: () => reader.close() };
  }
  const writer = new SqliteThread();
  await opening(url, () => writer.perform({ kind: "open", file, mode: "create" }));
  const names = pageRequestColumns.map(({ name }) => name);
  const insert = `INSERT INTO page_requests (${names.join()}) VALUES (${names.map(() => "?").join()})`;
  return {
    writing: kyselyOver(writer, async () => {}),
    reading,
    writers: [new SqliteWriter({ thread: writer, file, insert })],
    close: async () => {
      await reader.close();
      await writer.close();
    },
  };
}

/** The path behind `sqlite:`, relative to the working directory. */
function fileOf(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path === "" || path.startsWith(":memory:")) {
    throw new StoreError(
      "A database in memory would lose page requests that were acknowledged: name a file, for example sqlite:./web-forms-helper.db",
    );
  }
  return resolve(path);
}

async function opening(url: string, open: () => Promise<unknown>): Promise<void> {
  try {
    await open();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`The database ${url} cannot be opened: ${reason}`, cause);
  }
}

/** Opens the file on first use: most servers never read. */
function openOnce(thread: SqliteThread, file: string, mode: SqliteMode): () => Promise<void> {
  let isOpen = false;
  thread.onLost(() => {
    isOpen = false;
  });
  return async () => {
    if (!isOpen) await thread.perform({ kind: "open", file, mode });
    isOpen = true;
  };
}

function kyselyOver(thread: SqliteThread, ready: () => Promise<void>): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: (): Driver => new SqliteThreadDriver(thread, ready),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
