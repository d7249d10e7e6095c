import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOverridesIfPossible } from "@wfh/cli/io/admin-context.ts";
import { openConfiguredGazetteer } from "@wfh/cli/io/gazetteer.ts";
import { readConfiguredKeys } from "@wfh/cli/io/secret-keys.ts";
import type { Terminal } from "@wfh/cli/io/terminal.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import type { Listening } from "@wfh/server/server/http/listener.ts";
import { openLog } from "@wfh/server/server/log.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { openService } from "@wfh/server/service.ts";
import { openServiceStore } from "@wfh/server/service-store.ts";
import type { Store } from "@wfh/server/store/store.ts";

/**
 * Runs a server in this process with the operator's settings and postal data, but a new database
 * that is removed afterwards. It does not limit page requests, since all come from one address.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function withScratchServer<Result>(
  settings: Config,
  terminal: Terminal,
  run: (url: URL) => Promise<Result>,
): Promise<Result> {
  const data = await openConfiguredGazetteer(settings, terminal);
  const index = await readOverridesIfPossible(settings, terminal);
  const folder = mkdtempSync(join(tmpdir(), "wfh-compare-"));
  const config: Config = {
    ...settings,
    host: "127.0.0.1",
    port: 0,
    adminPort: "off",
    diskReserveMb: 0,
    drainMs: 0,
    databaseUrl: `sqlite:${join(folder, "scratch.db")}`,
    keyFile: "",
    secretKeys: [],
    pageRequestsPerNetwork: 0,
  };
  let store: Store | undefined;
  let server: Listening | undefined;
  try {
    const log = openLog("error", { write: terminal.err });
    const secretKeys = readConfiguredKeys(config);
    store = await openServiceStore(config, log, secretKeys);
    const gazetteer = new OverrideGazetteer(data, { index });
    server = await openService({ config, gazetteer, store, secretKeys, log });
    return await run(new URL(server.url));
  } finally {
    await server?.close();
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
