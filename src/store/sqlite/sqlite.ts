import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { sql } from "kysely";
import type { Connections, Dialect } from "../migrations/dialect.ts";
import { pageRequestColumns } from "../page-requests/columns.ts";
import { SqliteThreadDriver } from "../sqlite-driver.ts";
import { kyselyOver } from "../sqlite-kysely.ts";
import { transactOn } from "../sqlite-transactions.ts";
import { SqliteWriter } from "../sqlite-writer.ts";
import { StoreError } from "../store-error.ts";
import { lockAsServer, type ServerLock } from "./server-lock.ts";
import { SqliteThread } from "./thread.ts";

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
  lockAdministration: async () => {},
  currentTime: (now) => sql`${BigInt(now())}`,
  hasTable: async (database, name) => {
    const found = await sql`select 1 from sqlite_schema where name = ${name}`.execute(database);
    return found.rows.length > 0;
  },
  isMissing: (url) => !existsSync(fileOf(url)),
  // What waiting does not mend the thread throws as a StoreError.
  isPassing: () => true,
  connect,
};

function connect(url: string, access: "write" | "read"): Connections {
  const file = fileOf(url);
  const reader = new SqliteThread();
  const reading = kyselyOver(new SqliteThreadDriver(reader, { file, mode: "read" }));
  if (access === "read") {
    return {
      writing: reading,
      reading,
      changeSchema: () => Promise.reject(new Error("The database is open for reading only")),
      transact: transactOn(reader, { file, mode: "read" }),
      writers: [],
      close: () => reader.close(),
    };
  }
  const writer = new SqliteThread();
  let lock: ServerLock | undefined;
  const writing = kyselyOver(new SqliteThreadDriver(writer, { file, mode: "write" }));
  const names = pageRequestColumns.map(({ name }) => name);
  const insert = `INSERT INTO page_requests (${names.join()}) VALUES (${names.map(() => "?").join()})`;
  return {
    writing,
    reading,
    changeSchema: async (run) => {
      await writer.exclusively(() => writer.perform({ kind: "open", file, mode: "create" }));
      return run(writing);
    },
    transact: transactOn(writer, { file, mode: "write" }),
    writers: [new SqliteWriter({ thread: writer, file, insert })],
    lockAsServer: () => {
      lock = lockAsServer(file);
      return lock.isOurs;
    },
    close: async () => {
      await reader.close();
      await writer.close();
      lock?.release();
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
