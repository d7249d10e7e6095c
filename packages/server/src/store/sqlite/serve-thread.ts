import { parentPort, workerData } from "node:worker_threads";
import { RpcServer } from "../../lib/rpc.ts";
import type { Database, SqlValue } from "../sql.ts";
import { SqliteDatabase } from "./database.ts";
import type { SqliteThreadData } from "./threads.ts";

/**
 * Serves the queries of one SQLite file on the thread that this runs on. SQLite is synchronous: a
 * commit stops it until the disk is done.
 *
 * @param createQueries makes the groups of queries that the thread is called with.
 * @throws {Error} where this is not a thread.
 */
export function serveThread(createQueries: (database: Database) => object): void {
  if (parentPort === null) throw new Error("This file is started as a thread");
  const { file, mode, abandoned } = workerData as SqliteThreadData;
  const database = new SqliteDatabase({
    file,
    mode,
    abandoned: () => Number(Atomics.load(abandoned, 0)),
    locked: (reason) => server.rejectWaiting(reason),
  });
  const thread = {
    open: () => database.openForWriting(),
    check: () => database.diskSpace(),
    write: (rows: readonly (readonly SqlValue[])[]) => database.write(rows),
    close: () => database.close(),
  };
  const server = new RpcServer(parentPort, { ...createQueries(database), thread }, abandoned);
}
