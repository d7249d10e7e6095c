import { parentPort, workerData } from "node:worker_threads";
import { RpcServer } from "@wfh/server/lib/rpc.ts";
import { requireSchema } from "@wfh/server/store/migrate.ts";
import { PostgresDatabase } from "@wfh/server/store/postgres/database.ts";
import type { SqliteThreadData } from "@wfh/server/store/sqlite/threads.ts";
import { ConsoleQueries } from "./console-queries.ts";

if (parentPort === null) throw new Error("This file is started as a thread");
const { file: url, abandoned } = workerData as SqliteThreadData;
const database = new PostgresDatabase(url, "write");
const thread = {
  open: () => requireSchema(database),
  close: () => database.close(),
};
new RpcServer(parentPort, { ...new ConsoleQueries(database), thread }, abandoned);
