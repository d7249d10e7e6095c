import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readConfiguredKeys } from "@wfh/cli/io/secret-keys.ts";
import type { PageRequestLog } from "@wfh/server/domain/page-requests/page-request-log.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { openLog } from "@wfh/server/server/log.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { openService } from "@wfh/server/service.ts";
import { openServiceStore } from "@wfh/server/service-store.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

/**
 * Starts the server with a store for comparison: `node page-request-server.ts nothing` keeps
 * nothing, `one-by-one FILE` has a transaction for each page request. Prints its address.
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
const { config } = readConfig(undefined, {
  WFH_PORT: "0",
  WFH_DATABASE_URL: `sqlite:${join(temporaryFolder(), "log-ins.db")}`,
});
const log = openLog("silent");
const store = await openServiceStore(config, log);
const { url } = await openService({
  config,
  gazetteer: openGazetteer(builtInGazetteer),
  store: Object.assign(store, { pageRequests, readiness: () => "ready" as const }),
  secretKeys: readConfiguredKeys(config),
  log,
});
console.log(url);
