import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import type { AreaFinding } from "@wfh/server/lib/check.ts";
import { pageRequest } from "@wfh/server/test/store/sample.ts";
import { startServer, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import type { NewOperator } from "../src/access/operator-queries.ts";
import { OperatorConsole } from "../src/console.ts";
import { openCommandDatabase } from "../src/database/console-database.ts";
import { addOperator, operatorPassword } from "./access-world.ts";

/** The present of these tests, a Thursday, in UTC milliseconds. */
export const presentMs = Date.parse("2026-11-26T16:30:00Z");

const findings: readonly AreaFinding[] = [
  { area: "clock", check: "clock-set", level: "ok", text: "The clock is right.", fix: null },
  {
    area: "database",
    check: "disk-space",
    level: "warning",
    text: "The disk has <1 GiB left.",
    fix: "delete old page requests: wfh page-requests delete",
  },
];

/** Starts a server with the pages of operators at its main port, where time stands still. */
export async function startOperatorSite(settings: Readonly<Record<string, string>> = {}) {
  const url = settings["WFH_DATABASE_URL"] ?? temporaryDatabase();
  const server = await startServer(
    { WFH_OPERATOR_PAGE: "on", ...settings, WFH_DATABASE_URL: url },
    {
      extension: (parts) => {
        const store = {
          logIn: parts.store.logIn,
          lease: parts.store.lease.bind(parts.store),
          nodeCount: () => parts.store.nodeCount(),
          readiness: () => parts.store.readiness(),
          queuedRows: () => parts.store.queuedRows(),
          now: () => presentMs,
        };
        return new OperatorConsole({ ...parts, store, checkHealth: async () => findings });
      },
    },
  );
  const database = await openCommandDatabase(url, "write");
  let sent = 0;
  const request = (path: string, cookie: string, more: RequestInit = {}) =>
    fetch(server.url + path, {
      ...more,
      redirect: "manual",
      headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin", ...more.headers },
    });
  const post = (path: string, cookie: string, fields: Readonly<Record<string, string>>) =>
    request(path, cookie, { method: "POST", body: new URLSearchParams(fields) });
  return {
    server,
    url: server.url,
    queries: database.queries,
    request,
    post,
    /** The text of a page that has to be there. */
    async read(path: string, cookie: string): Promise<string> {
      const response = await request(path, cookie);
      assert.equal(response.status, 200, path);
      return response.text();
    },
    addOperator: (name: string, given: Partial<NewOperator> = {}) =>
      addOperator(database.queries, { name, ...given }, presentMs),
    /** Logs in by the form; returns the Cookie header. */
    async logIn(name: string, next = ""): Promise<string> {
      const fields = { name, password: operatorPassword, next };
      const response = await post("/operator/log-in", "", fields);
      assert.equal(response.status, 303, await response.text());
      return response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    },
    /** Stores page requests as they would have arrived. */
    async log(...given: readonly Partial<StoredPageRequest>[]): Promise<void> {
      await Promise.all(
        given.map((one) => {
          sent += 1;
          const usual = { requestId: `r-${sent}`, arrivedAtMs: presentMs };
          return server.store.pageRequests.append(pageRequest({ ...usual, ...one }));
        }),
      );
    },
    async close(): Promise<void> {
      await database.close();
      await server.close();
    },
  };
}

/** A server with the pages of operators. */
export type OperatorSite = Awaited<ReturnType<typeof startOperatorSite>>;

/** Starts a site for one test, with the operator Ada logged in. */
export async function openSite(t: TestContext, settings?: Readonly<Record<string, string>>) {
  const site = await startOperatorSite(settings);
  t.after(() => site.close());
  await site.addOperator("Ada");
  return { site, cookie: await site.logIn("Ada") };
}
