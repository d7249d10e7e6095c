import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OverrideGazetteer } from "../../../domain/location/override-gazetteer.ts";
import { openLog } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { openService } from "../../../service.ts";
import { readOverridesIfPossible } from "../../admin-context.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { openConfiguredStore } from "../serve/configured-store.ts";

/**
 * Runs a server in this process with the settings and postal data of the operator, but with a new database that is removed
 * afterwards. Its limits do not hold, since all requests come from one address.
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
  try {
    const config: Config = {
      ...settings,
      ...{ host: "127.0.0.1", port: 0, adminPort: "off", workers: 1, diskReserveMb: 0, drainMs: 0 },
      ...{ databaseUrl: `sqlite:${join(folder, "scratch.db")}`, keyFile: "", secretKeys: [] },
      ...{ pageRequestsPerNetwork: 0, requestsPerConnectionMax: 1_000_000_000 },
    };
    const log = openLog("error", { write: terminal.err });
    const secretKeys = readConfiguredKeys(config);
    const store = await openConfiguredStore(config, log, secretKeys);
    const gazetteer = new OverrideGazetteer(data, { index });
    try {
      const server = await openService({ config, gazetteer, store, secretKeys, log });
      try {
        return await run(new URL(server.url));
      } finally {
        await server.close();
      }
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
