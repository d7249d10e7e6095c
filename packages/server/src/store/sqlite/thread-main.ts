import { ServerQueries } from "../server-queries.ts";
import { serveThread } from "./serve-thread.ts";

serveThread((database) => new ServerQueries(database));
