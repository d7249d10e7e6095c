import { parentPort, workerData } from "node:worker_threads";
import { RpcServer } from "../../lib/rpc.ts";
import { ServerQueries } from "../server-queries.ts";
import type { SqlValue } from "../sql.ts";
import { SqliteDatabase } from "./database.ts";
import type { SqliteThreadData } from "./threads.ts";

// The thread of one SQLite file. SQLite is synchronous: a commit stops it until the disk is done.

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
const queries = new ServerQueries(database);
const server = new RpcServer(parentPort, { ...queries, thread }, abandoned);
