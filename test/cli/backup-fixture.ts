import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startServer } from "../test-server.ts";
import type { CliFixture } from "./cli-fixture.ts";

/** Starts a server with the database and the key of a place. */
export function startOn({ databaseUrl, folder }: CliFixture) {
  return startServer({
    WFH_DATABASE_URL: databaseUrl,
    WFH_KEY_FILE: join(folder, "office.key"),
  });
}

/** Form ids of all page requests in the database of a place. */
export function formIdsIn({ databaseFile }: CliFixture): ReadonlySet<number> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare("SELECT form_id FROM page_requests").all();
  database.close();
  return new Set(rows.map(({ form_id: id }) => Number(id)));
}
