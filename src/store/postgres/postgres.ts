import { callLocally } from "../../lib/rpc.ts";
import { createApi } from "../api.ts";
import type { OpenDatabase } from "../engine.ts";
import { PostgresDatabase, PostgresWriter } from "./database.ts";

/** Connections that insert page requests: while one waits for its sync, the other takes a batch. */
const writerCount = 2;

/**
 * Errors where waiting does not help, by the classes of SQLSTATE: log-in refused (28), no such database (3D), no right or no
 * such table (42); and addresses that Node.js cannot read.
 */
const lasting = /^(28|3D|42|ERR_)/;

/** Opens a PostgreSQL database, of version 14 or newer: for several nodes. */
export function openPostgres(url: string, access: "write" | "read"): OpenDatabase {
  const database = new PostgresDatabase(url, access);
  return {
    call: callLocally(createApi(database)),
    writers: Array.from({ length: writerCount }, () => new PostgresWriter(url)),
    isPassing: (cause) => {
      const { code } = cause as { code?: unknown };
      return typeof code !== "string" || !lasting.test(code);
    },
    close: () => database.close(),
  };
}
