import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OverrideGazetteer } from "../../../domain/location/override-gazetteer.ts";
import { tooLarge } from "../../../fault.ts";
import { type Ask, requestOf } from "../../../migration/ask.ts";
import type { WholeResponse } from "../../../migration/compare/whole-response.ts";
import type { App } from "../../../server/http/app.ts";
import { createRequestId, handleRequest } from "../../../server/http/handle-request.ts";
import { readHead } from "../../../server/http/incoming-request.ts";
import type { Listening } from "../../../server/http/listener.ts";
import { refuseHead } from "../../../server/http/node-adapter.ts";
import { headersOf } from "../../../server/http/response.ts";
import { openLog } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { openService } from "../../../service.ts";
import { openServiceStore } from "../../../service-store.ts";
import type { Store } from "../../../store/store.ts";
import { readOverridesIfPossible } from "../../io/admin-context.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { readConfiguredKeys } from "../../io/secret-keys.ts";
import type { Terminal } from "../../io/terminal.ts";

/**
 * Runs a server in this process with the settings and postal data of the operator, but with a new database that is removed
 * afterwards. Its limits do not hold, since all requests come from one address. It is asked without a connection: HTTP
 * would take twice as long as the comparison.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function withScratchServer<Result>(
  settings: Config,
  terminal: Terminal,
  run: (ask: Ask) => Promise<Result>,
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
  let app: App | undefined;
  try {
    const log = openLog("error", { write: terminal.err });
    const secretKeys = readConfiguredKeys(config);
    store = await openServiceStore(config, log, secretKeys);
    const gazetteer = new OverrideGazetteer(data, { index });
    const changeApp = (made: App) => {
      app = made;
      return made;
    };
    server = await openService({ config, gazetteer, store, secretKeys, log, changeApp });
    return await run((exchange) => askApp(app as App, exchange, config));
  } finally {
    await server?.close();
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks an app as its server would, with the limits of heads and bodies. */
async function askApp(
  app: App,
  exchange: Parameters<Ask>[0],
  config: Config,
): Promise<WholeResponse> {
  const { head, body } = requestOf(exchange);
  const { method, target, headers } = head;
  const tooLong = () => Promise.reject(tooLarge(config.bodyBytesMax));
  const request = {
    id: createRequestId(),
    isAdmin: false,
    peer: "127.0.0.1",
    head: readHead(method, target, headers),
    body: body.length > config.bodyBytesMax ? tooLong : body,
  };
  const refusal = refuseHead({ httpVersion: "1.1", rawHeaders: [...headers] }, target, config);
  const response = refusal ?? (await handleRequest(request, app));
  return {
    status: response.status,
    headers: headersOf(response, { id: request.id, closes: false }),
    body: Buffer.from(method === "HEAD" ? "" : response.body),
  };
}
