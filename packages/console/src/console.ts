import { setTimeout } from "node:timers/promises";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import type { AreaFinding } from "@wfh/server/lib/check.ts";
import { lazily } from "@wfh/server/lib/lazily.ts";
import { type StartTimer, startTimer } from "@wfh/server/lib/timer.ts";
import type { SecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import type { Extension, ExtensionDeps, ServiceExtension } from "@wfh/server/server/extension.ts";
import type { Log } from "@wfh/server/server/log.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { LeasedJob } from "@wfh/server/store/leased-job.ts";
import { openDatabase } from "@wfh/server/store/open-database.ts";
import { firstRow, statement } from "@wfh/server/store/sql.ts";
import type { Store } from "@wfh/server/store/store.ts";
import { reasonOf } from "@wfh/server/store/store-error.ts";
import { Access } from "./access/access.ts";
import type { ConsoleDatabase } from "./database/console-database.ts";
import { LiveEvents, LiveFeed } from "./live/live-views.ts";
import { loadPart } from "./load-part.ts";
import { Health } from "./pages/health.ts";
import { lazyOperatorPages, loadOperatorPages } from "./pages/lazy-pages.ts";
import { reportResources } from "./reports/report-resources.ts";
import { createRoller, Reports, rollerLeaseMs } from "./reports/reports.ts";
import { createReportsApi } from "./reports/reports-api.ts";

/** Parts that a console is made with. */
export interface ConsoleDeps {
  readonly config: Config;
  readonly store: Pick<Store, "lease" | "now" | "nodeCount" | "logIn" | "readiness" | "queuedRows">;
  readonly secretKeys: SecretKeys;
  /** Runs the checks of `wfh doctor`. */
  readonly checkHealth: () => Promise<readonly AreaFinding[]>;
  readonly log: Log;
  /** Tests replace it. */
  readonly after?: StartTimer;
}

/** Time from the start of a server until it looks whether its console is used, in milliseconds. */
const lookMs = 60_000;

const findUser = statement<object, { name: string }>(
  "select name from operators union all select name from tokens limit 1",
);

/** Waits, in milliseconds, without keeping the process; rejects when its signal is aborted. */
const pause = (ms: number, signal?: AbortSignal) =>
  setTimeout(ms, undefined, { ref: false, signal });

/** Reports and the operator's page of one server. */
export class OperatorConsole implements ServiceExtension {
  readonly reports: Reports;
  readonly #deps: ConsoleDeps;
  /** Opened with the first request that needs it. */
  readonly #open: () => Promise<ConsoleDatabase>;
  #database: ConsoleDatabase | undefined;
  #roller: LeasedJob | undefined;
  #looking: Promise<void> | undefined;
  #cancelLook: () => void = () => {};

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#open = lazily(async () => {
      // Loaded with the first request too: a server whose console is not used does not need it.
      const { openConsoleDatabase } = await loadPart(
        () => import("./database/console-database.ts"),
      );
      const database = await openConsoleDatabase(deps.config.databaseUrl);
      this.#database = database;
      this.#roller = createRoller({
        reports: this.reports,
        lease: deps.store.lease("reports", rollerLeaseMs),
        after: startTimer,
        elapsed: () => performance.now(),
        onFailure: (cause) =>
          deps.log.warn({ cause: reasonOf(cause) }, "reports are not counted until they are read"),
      });
      this.#roller.start();
      return database;
    });
    this.reports = new Reports({ open: this.#open, now: deps.store.now });
  }

  /**
   * Reports and pages for a server.
   *
   * @throws {SettingsError} when the secret of the authenticating proxy cannot be read.
   */
  extend(server: ExtensionDeps): Extension {
    const { config, store, secretKeys, log, checkHealth, after = startTimer } = this.#deps;
    this.#cancelLook = after(lookMs, () => {
      // Without a database reports begin to be counted with the first request, as without users.
      this.#looking = this.#openIfUsed().catch(() => {});
    });
    const queries = async () => (await this.#open()).queries;
    const access = new Access({ ...this.#deps, server, queries });
    const operations = createReportsApi({
      reports: this.reports,
      access,
      now: store.now,
    });
    const feed = new LiveFeed({
      open: queries,
      pause,
      report: (message) => log.warn({ message }, "live views"),
    });
    const pages = lazyOperatorPages({
      config,
      store,
      log,
      proxies: server.proxies,
      access,
      reports: this.reports,
      health: new Health(checkHealth, store.now),
      live: new LiveEvents({ access, feed, pause }),
      secretKeys,
      open: queries,
      now: store.now,
    });
    const reportsPath = `${restApi.path}/reports/`;
    return {
      api: reportResources,
      operations,
      pages,
      onRefusedOrigin: async (request) => {
        const { path } = request.head;
        if (pages.has(path) || path.startsWith(reportsPath)) await access.refuseOrigin(request);
      },
      metrics: access.metrics,
    };
  }

  async close(): Promise<void> {
    this.#cancelLook();
    await this.#looking;
    await this.#roller?.stop();
    await this.#database?.close();
  }

  /** Opens the database where an operator may use the console, so that counting begins. */
  async #openIfUsed(): Promise<void> {
    // On a connection that is closed again: a server without users keeps none for its console.
    const database = await openDatabase(this.#deps.config.databaseUrl, "read", async () => {});
    const user = await firstRow(database, findUser, {}).finally(() => database.close());
    if (user === undefined) return;
    await this.#open();
    // An upgrade may replace their files before the first request for one.
    await loadOperatorPages();
  }
}
