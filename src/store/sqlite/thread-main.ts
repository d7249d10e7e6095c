import { parentPort, workerData } from "node:worker_threads";
import { AbandonedCalls, callLocally, RpcServer } from "../../lib/rpc.ts";
import { createApi } from "../api.ts";
import { insertPageRequests } from "../page-requests/columns.ts";
import type { SqlValue } from "../sql.ts";
import { SqliteDatabase } from "./database.ts";
import type { SqliteThreadData } from "./sqlite.ts";

// This file is the thread of one SQLite file. SQLite is synchronous: a commit stops its thread for
// as long as the disk takes.

if (parentPort === null) throw new Error("This file is started as a thread");
const { file, mode, memory } = workerData as SqliteThreadData;
const abandoned = new AbandonedCalls(memory);
const database = new SqliteDatabase({
  file,
  mode,
  abandoned: () => abandoned.latest,
  locked: (reason) => server.rejectWaiting(reason),
});
const thread = {
  prove: () => database.prove(),
  check: () => database.check(),
  write: (rows: readonly (readonly SqlValue[])[]) => database.write(insertPageRequests, rows),
  close: () => database.close(),
};
const server = new RpcServer(
  parentPort,
  callLocally({ ...createApi(database), thread }),
  abandoned,
);
