import { DatabaseSync } from "node:sqlite";
import { openConsoleDatabase } from "@wfh/console/database/console-database.ts";
import { valueReports } from "@wfh/console/reports/report-resources.ts";
import type { ReportSpan } from "@wfh/console/reports/report-types.ts";
import { Reports, ReportsLateError } from "@wfh/console/reports/reports.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { openDatabase } from "@wfh/server/store/open-database.ts";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import pg from "pg";
import { scratchDatabase, scratchFolder, startServer } from "../harness/measured-program.ts";
import { addOperator, logInAsOperator } from "./operator.ts";
import { type BenchResult, type BenchRow, timesOf } from "./results.ts";
import { serverCore } from "./rounds.ts";

const dayMs = 86_400_000;
const days = 400;
const rowsAtOnce = 500_000;
/** Most values that a report lists, as on its page. */
const valuesMax = 500;

/** Amount of page requests, over 400 days, and how often each report is read. */
export interface ReportsPlan {
  readonly rows: number;
  readonly rounds: number;
}

const columns = `id, request_id, arrived_at, form_id, page_url, referrer, user_agent, kind, step,
  application_instance_id, is_authenticated, screen_width, cross_app_session_id, network`;

/** Columns for page requests with numbers `n` from 0, in both engines: five of each session. */
function rowOf(firstMs: number, stepMs: number): string {
  const session = "(n / 5)";
  const form = `(${session} * 7919 % 50 + 1)`;
  return `n + 1, 'r-' || n, ${firstMs} + cast(n * ${stepMs} as bigint), ${form},
    'https://forms.example.org/form-' || ${form} || '/page-' || (n % 5 + ${session} % 3 * 5) || '?visitor=' || n,
    case when n % 5 = 0 then 'https://site-' || (${session} * 31 % 300) || '.example/path?q=' || ${session} % 5000 end,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/' || ${session} % 2000,
    case when n % 5 < 3 then 'view' else 'submit' end,
    'step-' || (case when n % 5 < ${session} % 7 then n % 5 else 0 end),
    ${session} % 4 + 1, ${session} % 3 = 0, 360 + ${session} % 20 * 80, ${session} + 1, '192.0.2.0/24'`;
}

/** Fills a database with page requests of the last days, today included. */
async function fill(url: string, rows: number): Promise<void> {
  const nowMs = Date.now();
  const firstMs = (Math.floor(nowMs / dayMs) - days + 1) * dayMs;
  const row = rowOf(firstMs, ((days - 1) * dayMs) / rows);
  await (await openAdmin(url, "write", Date.now)).close();
  if (url.startsWith("sqlite:")) {
    const database = new DatabaseSync(url.slice("sqlite:".length));
    for (let from = 0; from < rows; from += rowsAtOnce) {
      const last = Math.min(from + rowsAtOnce, rows) - 1;
      database.exec(`with recursive numbers(n) as (select ${from} union all
          select n + 1 from numbers where n < ${last})
        insert into page_requests (${columns}) select ${row} from numbers`);
    }
    database.close();
    return;
  }
  const database = await openDatabase(url, "write", async (opened) => {
    const options = { nowMs, retentionDays: days, isStart: true, oldestMs: firstMs };
    await opened.partitions?.prepare(options);
  });
  await database.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const last = Math.min(from + rowsAtOnce, rows) - 1;
    await client.query(`insert into page_requests (${columns})
      select ${row} from generate_series(${from}::bigint, ${last}) as n`);
  }
  await client.query(`select setval('page_request_ids', ${rows + 1})`);
  await client.query("analyze page_requests");
  await client.end();
}

/** Reads a report until everything is counted; resolves to the milliseconds that it took. */
async function wait(read: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  while (true) {
    try {
      await read();
      return performance.now() - beganMs;
    } catch (cause) {
      if (!(cause instanceof ReportsLateError)) throw cause;
      process.stderr.write(`\r${cause.message}   `);
    }
  }
}

async function benchEngine(name: string, url: string, { rows, rounds }: ReportsPlan) {
  const filledMs = await wait(() => fill(url, rows));
  process.stderr.write(`\r${name}: ${rows} page requests in ${(filledMs / 1_000).toFixed(0)} s\n`);
  const database = await openConsoleDatabase(url);
  const reports = new Reports({ open: async () => database, now: Date.now });
  const toDay = Math.floor(Date.now() / dayMs);
  const year: ReportSpan = { fromDay: toDay - days + 1, toDay };
  const month: ReportSpan = { fromDay: toDay - 29, toDay };
  const rate = (ms: number) => (rows / ms) * 1_000;
  const valuesMs = await wait(() => reports.days(year, null));
  const sessionsMs = await wait(() => reports.funnel(year, "1"));
  const table: BenchRow[] = [
    { what: `${name}, rolling up of ${rows} rows`, perSecond: rate(valuesMs) },
    { what: `${name}, sessions of ${rows} rows`, perSecond: rate(sessionsMs) },
  ];
  const readers: Record<
    string,
    (span: ReportSpan, forms: readonly string[] | null) => Promise<unknown>
  > = {
    days: (span, forms) => reports.days(span, forms),
    hours: (span, forms) => reports.hours(span, forms),
    forms: (span, forms) => reports.values("forms", span, forms, valuesMax),
    ...Object.fromEntries(
      valueReports.map((report) => [
        report,
        (span: ReportSpan, forms: readonly string[] | null) =>
          reports.values(report, span, forms, valuesMax),
      ]),
    ),
    funnel: (span) => reports.funnel(span, "1"),
  };
  const measure = async (read: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await wait(read));
    return times;
  };
  const ofOneForm: number[] = [];
  const ofMonth: number[] = [];
  for (const [report, read] of Object.entries(readers)) {
    table.push({
      what: `${name}, ${report} of ${days} days`,
      ...timesOf(await measure(() => read(year, null))),
    });
    ofOneForm.push(...(await measure(() => read(year, ["1"]))));
    ofMonth.push(...(await measure(() => read(month, null))));
  }
  await database.close();
  return [
    ...table,
    { what: `${name}, all of these of one form`, ...timesOf(ofOneForm) },
    { what: `${name}, all of these of 30 days`, ...timesOf(ofMonth) },
    ...(await measurePages(name, url, rounds * 5)),
  ];
}

/** Reads pages of operators from a server as it is installed. */
async function measurePages(
  name: string,
  url: string,
  rounds: number,
): Promise<readonly BenchRow[]> {
  await addOperator(url);
  const server = await startServer(serverCore, { WFH_DATABASE_URL: url, WFH_OPERATOR_PAGE: "on" });
  const headers = { Cookie: await logInAsOperator(server.url) };
  const measure = async (query: string) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const beganMs = performance.now();
      const response = await fetch(`${server.url}/operator${query}`, { headers });
      const text = await response.text();
      if (response.status !== 200)
        throw new Error(`${query} has status ${response.status}: ${text}`);
      times.push(performance.now() - beganMs);
    }
    return timesOf(times);
  };
  const year = `from=${new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10)}&to=${new Date().toISOString().slice(0, 10)}`;
  const pages = {
    [`overview page of ${days} days`]: `?${year}`,
    "overview page of 30 days": "?period=30d",
    [`page of a form of ${days} days`]: `?form=1&${year}`,
    "page of a form of 30 days": "?form=1",
    [`events page of ${days} days`]: `/events?${year}`,
    "events page": "/events",
  };
  const rows: BenchRow[] = [];
  for (const [page, query] of Object.entries(pages)) {
    rows.push({ what: `${name}, ${page}`, ...(await measure(query)) });
  }
  server.stop();
  return rows;
}

/** Measures how fast page requests are rolled up, and how long every report takes. */
export async function benchReports(plan: ReportsPlan): Promise<BenchResult> {
  const rows = await benchEngine("SQLite", scratchDatabase(), plan);
  const postgres = await startPostgres(scratchFolder());
  if (typeof postgres === "string") return { rows, notes: [postgres] };
  rows.push(...(await benchEngine("PostgreSQL", postgres.url, plan)));
  await postgres.close();
  return { rows };
}
