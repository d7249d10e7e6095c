import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { lazily } from "@wfh/server/lib/lazily.ts";
import type { PageHandler } from "@wfh/server/server/http/app.ts";
import { openConnection } from "@wfh/server/test/server/connection.ts";
import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import { pageRequest } from "@wfh/server/test/store/sample.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import { openConsoleDatabase } from "../src/database/console-database.ts";
import { LiveEvents, LiveFeed } from "../src/live/live-views.ts";
import type { FormChoice } from "../src/reports/report-types.ts";

/** Time between polls and checks of tests, in milliseconds. */
const stepMs = 5;

/**
 * Starts a server with live events at /live.
 *
 * @param findForms the forms of the operator who asks; undefined once they are logged out.
 */
export async function startLiveSite(
  t: TestContext,
  { url: databaseUrl }: Pick<TestDatabase, "url">,
  findForms: () => Promise<FormChoice | undefined> = async () => null,
) {
  // The server brings the database up to date first.
  const open = lazily(() => openConsoleDatabase(databaseUrl));
  const findOperator = async () => {
    const forms = await findForms();
    if (forms === undefined) return null;
    const operator = { id: 1n, name: "ada", role: "viewer", forms } as const;
    return { operator, csrfToken: "", isByProxy: false };
  };
  const feed = new LiveFeed({
    open: async () => (await open()).queries,
    pause: () => pause(stepMs),
    report: () => {},
  });
  const events = new LiveEvents({
    access: { findOperator, checkForm: async () => {} },
    feed,
    pause: (_ms, signal) => pause(stepMs, undefined, { signal }),
  });
  const page: PageHandler = async (request) => events.respond(request, await findOperator());
  const server = await startServer(
    { WFH_DATABASE_URL: databaseUrl },
    { changeApp: (app) => ({ ...app, pages: new Map([["/live", page]]) }) },
  );
  t.after(async () => {
    await server.close();
    await (await open()).close();
  });
  return {
    server,
    /** Asks for the events, as a browser does. */
    watch: async (query = "", fields = "") => {
      const connection = await openConnection(server.url);
      const head = `GET /live?${query} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n`;
      await connection.send(`${head}${fields}\r\n`);
      await connection.until(/\r\n\r\n/);
      return connection;
    },
    /** Stores a page request. */
    log: async (pageUrl: string, formId: bigint | null = null) => {
      const requestId = `${pageUrl} ${formId}`;
      await server.store.pageRequests.append(pageRequest({ pageUrl, formId, requestId }));
    },
  };
}
