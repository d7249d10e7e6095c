import { streamType } from "@wfh/server/bindings/http.ts";
import { scratchDatabase, startServer } from "../harness/measured-program.ts";
import { addOperator, logInAsOperator } from "./operator.ts";
import type { BenchResult } from "./results.ts";
import { load, type Plan, type Sample, serverCore, summarize } from "./rounds.ts";

/** Live views that are open at once. */
const viewCount = 10;

/**
 * Measures page requests that are acknowledged while live views are open, and while none is, in
 * alternate rounds on one server. SQLite, whose thread for the views has the same core.
 */
export async function benchLiveViews(plan: Plan): Promise<BenchResult> {
  const databaseUrl = scratchDatabase();
  const server = await startServer(serverCore, {
    WFH_DATABASE_URL: databaseUrl,
    WFH_OPERATOR_PAGE: "on",
  });
  await addOperator(databaseUrl);
  const cookie = await logInAsOperator(server.url);
  const work = "page-requests-json";
  await load(server, work, plan.roundMs, plan);
  const samples: Record<"without" | "with", Sample[]> = { without: [], with: [] };
  for (let round = 0; round < plan.rounds * 2; round += 1) {
    // The one that comes first changes, as a server becomes faster for a while.
    const kind = round % 4 === 0 || round % 4 === 3 ? "without" : "with";
    const closeViews = kind === "with" ? await openViews(server.url, cookie) : () => {};
    samples[kind].push(await load(server, work, plan.roundMs, plan));
    closeViews();
    process.stderr.write(`\rround ${round + 1} of ${plan.rounds * 2}   `);
  }
  process.stderr.write("\n");
  const mb = server.peakMb();
  server.stop();
  const rows = (["without", "with"] as const).map((kind) => ({
    what: `page requests ${kind} ${viewCount} live views`,
    ...summarize(samples[kind], samples.without),
    mb,
  }));
  return { rows };
}

/** Opens views that are read as browsers do; what is returned closes them. */
async function openViews(url: string, cookie: string): Promise<() => void> {
  const closing = new AbortController();
  const { signal } = closing;
  for (let i = 0; i < viewCount; i += 1) {
    const headers = { Accept: streamType, Cookie: cookie };
    const response = await fetch(`${url}/operator/live/events`, { headers, signal });
    if (response.status !== 200) throw new Error(`A live view has status ${response.status}`);
    void response.body?.pipeTo(new WritableStream()).catch(() => {});
  }
  return () => closing.abort();
}
