import { serveThread } from "@wfh/server/store/sqlite/serve-thread.ts";
import { ConsoleQueries } from "./console-queries.ts";

serveThread((database) => new ConsoleQueries(database));
