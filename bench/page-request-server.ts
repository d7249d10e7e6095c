import { DatabaseSync } from "node:sqlite";
import type { PageRequestLog } from "../src/domain/page-requests/page-request-log.ts";
import { builtInGazetteer } from "../src/gazetteer/built-in.ts";
import { openGazetteer } from "../src/gazetteer/reader.ts";
import { readConfig } from "../src/server/config.ts";
import { openLog } from "../src/server/log.ts";
import { startService } from "../src/service.ts";

/**
 * The server as it is, with a store that the benchmark compares: `node page-request-server.ts nothing`
 * keeps nothing, `one-by-one FILE` has a transaction for each page request. Prints its address.
 */
const [kind = "", file = ""] = process.argv.slice(2);

/** Writes each row in a transaction of its own, on the thread of the server. */
function oneByOne(): PageRequestLog {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows (row TEXT)");
  const insert = database.prepare("INSERT INTO rows VALUES (?)");
  return {
    append: async (row) => {
      const text = JSON.stringify(row, (_name, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      insert.run(text);
    },
  };
}

const pageRequests: PageRequestLog =
  kind === "one-by-one" ? oneByOne() : { append: async () => {} };
const { url } = await startService({
  config: readConfig(undefined, { WFH_PORT: "0" }).config,
  gazetteer: openGazetteer(builtInGazetteer),
  store: { pageRequests, isReady: () => true },
  log: openLog("silent"),
});
console.log(url);
