import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { lazily } from "@wfh/server/lib/lazily.ts";
import { pageStyle } from "@wfh/server/metadata/assets/bundle.ts";
import { html, inlineAsset, textOf } from "@wfh/server/metadata/markup.ts";
import type { Page } from "@wfh/server/metadata/pages/layout.ts";
import type { PageHandler } from "@wfh/server/server/http/app.ts";
import { pageResponse } from "@wfh/server/server/pages/html-pages.ts";
import { openConnection } from "@wfh/server/test/server/connection.ts";
import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import { pageRequest } from "@wfh/server/test/store/sample.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import { openConsoleDatabase } from "../src/database/console-database.ts";
import { LiveEvents, type LiveEventsDeps } from "../src/live/live-events.ts";
import { LiveFeed } from "../src/live/live-feed.ts";
import { renderLiveView } from "../src/live/live-page.ts";
import { liveScript } from "../src/live/live-script.ts";

/** The live view in a bare document. */
const livePage: Page = {
  html: textOf(html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Live</title><style>${inlineAsset(pageStyle)}</style></head>
    <body><main>${renderLiveView("Asia/Kathmandu", undefined)}</main><script>${inlineAsset(liveScript)}</script></body></html>`),
  styleSource: pageStyle.source,
  scriptSource: liveScript.source,
};

/** Time between polls and checks of tests, in milliseconds. */
const stepMs = 5;

/** Starts a server with a live view at /operator/live, for an operator who may see all forms. */
export async function startLiveSite(
  t: TestContext,
  { url: databaseUrl }: Pick<TestDatabase, "url">,
  findForms: LiveEventsDeps["findForms"] = async () => null,
) {
  // The server brings the database up to date first.
  const open = lazily(() => openConsoleDatabase(databaseUrl));
  const reports: string[] = [];
  let polls = 0;
  const feed = new LiveFeed({
    open: async () => {
      polls += 1;
      return (await open()).queries;
    },
    pause: () => pause(stepMs),
    report: (message) => reports.push(message),
  });
  const events = new LiveEvents({
    feed,
    findForms,
    pause: (_ms, signal) => pause(stepMs, undefined, { signal }),
  });
  const pages = new Map<string, PageHandler>([
    ["/operator/live", () => pageResponse(livePage)],
    ["/operator/live/events", events.respond],
  ]);
  const server = await startServer(
    { WFH_DATABASE_URL: databaseUrl },
    { changeApp: (app) => ({ ...app, pages: new Map([...app.pages, ...pages]) }) },
  );
  t.after(async () => {
    await server.close();
    await (await open()).close();
  });
  /** Asks for the events, as a browser does. */
  const watch = async (query = "", fields = "") => {
    const connection = await openConnection(server.url);
    const head = `GET /operator/live/events?${query} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n`;
    await connection.send(`${head}${fields}\r\n`);
    await connection.until(/\r\n\r\n/);
    return connection;
  };
  const log = async (pageUrl: string, formId: bigint | null = null) => {
    const requestId = `${pageUrl} ${formId}`;
    await server.store.pageRequests.append(pageRequest({ pageUrl, formId, requestId }));
  };
  return { server, watch, log, reports, polls: () => polls };
}
