import { benchAgainstBase } from "./against-base.ts";
import { benchCompare } from "./compare.ts";
import { benchIdleHour } from "./idle-hour.ts";
import { benchImport } from "./import.ts";
import { benchJoin } from "./join.ts";
import { benchLiveViews } from "./live-views.ts";
import { benchLogInBystander } from "./log-in-bystander.ts";
import { benchLogInRate } from "./log-in-rate.ts";
import { benchLogInTiming } from "./log-in-timing.ts";
import { benchLookUps } from "./look-ups.ts";
import { benchNodes } from "./nodes.ts";
import { benchBystander, benchPageRequests } from "./page-requests.ts";
import { benchPlaceSearch } from "./place-search.ts";
import { benchRecord } from "./record.ts";
import { benchReports } from "./reports.ts";
import { benchReportsBeside } from "./reports-beside.ts";
import type { BenchResult } from "./results.ts";
import { benchRetention } from "./retention.ts";
import type { Plan } from "./rounds.ts";
import { benchStartUp } from "./start-up.ts";

/** A benchmark by its name. */
export interface Bench {
  /** Subject of its measurements, as a sentence without its period. */
  readonly title: string;
  readonly run: (quick: boolean) => Promise<BenchResult>;
  /** True when it begins before all others, sends a message when ready, and ends once they have. */
  readonly waitsForEnd?: boolean;
}

/** All benchmarks, in the order of a whole run. */
export const benches: Readonly<Record<string, Bench>> = {
  "idle-hour": {
    title: "First responses of servers that nothing called for an hour, each on a new connection",
    run: benchIdleHour,
    waitsForEnd: true,
  },
  "start-up": {
    title: "Time from the start of a program to its first right response, or to its end",
    run: (quick) => benchStartUp(quick ? 3 : 11),
  },
  "look-ups": {
    title: "Look-ups over loopback on 32 connections, beside other servers",
    run: (quick) => benchLookUps(planOf(quick, 5, 2_000)),
  },
  "place-search": {
    title: "Searches of places, in the process and through a server",
    run: (quick) => benchPlaceSearch(quick ? 500 : 10_000),
  },
  "page-requests": {
    title: "Page requests on 32 and 128 connections, durable before they are acknowledged",
    run: (quick) => benchPageRequests(planOf(quick, 5, 1_500)),
  },
  "live-views": {
    title: "Page requests beside ten live views of operators",
    run: (quick) => benchLiveViews(planOf(quick, 9, 2_500)),
  },
  "reports-beside": {
    title: "Page requests of a server that counts them for reports",
    run: (quick) => benchReportsBeside(planOf(quick, 7, 4_000)),
  },
  bystander: {
    title: "SOAP look-ups of 32 connections beside page requests of 32 others",
    run: (quick) => benchBystander(planOf(quick, 7, 3_000)),
  },
  "log-in-rate": {
    title: "Log-ins with right passwords, beside nothing but their hashes",
    run: (quick) => benchLogInRate(planOf(quick, 4, 4_000)),
  },
  "log-in-bystander": {
    title: "Look-ups, 100 a second, beside log-ins of 200 connections",
    run: (quick) => benchLogInBystander(planOf(quick, 3, 8_000)),
  },
  "log-in-timing": {
    title: "Time of refused log-ins by their reason",
    run: (quick) =>
      benchLogInTiming(
        quick
          ? [{ atOnce: 6, rounds: 10, others: 10 }]
          : [
              { atOnce: 1, rounds: 600, others: 300 },
              { atOnce: 6, rounds: 200, others: 150 },
              { atOnce: 40, rounds: 40, others: 40 },
            ],
      ),
  },
  import: {
    title: "An import of GeoNames rows, and look-ups of a server, 200 a second, meanwhile",
    run: (quick) =>
      benchImport(quick ? { rounds: 1, rows: 60_000 } : { rounds: 3, rows: 1_200_000 }),
  },
  join: {
    title: "A second node that joins on PostgreSQL, and calls of the first, 200 a second of each",
    run: (quick) => benchJoin(quick ? 2 : 15),
  },
  nodes: {
    title: "Several nodes behind nginx on one PostgreSQL, each with a share of a core",
    run: (quick) => benchNodes(planOf(quick, 5, 4_000)),
  },
  record: {
    title: "1,000 calls a second through wfh migrate record, on the core of the server",
    run: (quick) => benchRecord(planOf(quick, 5, 3_000)),
  },
  compare: {
    title: "Comparison of recorded responses with ours, on one core",
    run: (quick) => benchCompare(planOf(quick, 5, 2_000)),
  },
  retention: {
    title: "Retention beside page requests of 8 senders",
    run: (quick) =>
      benchRetention(
        quick
          ? { rounds: 1, rows: 50_000, rowsOfDay: 50_000 }
          : { rounds: 2, rows: 800_000, rowsOfDay: 1_250_000 },
      ),
  },
  reports: {
    title: "Reports of page requests over 400 days",
    run: (quick) =>
      benchReports(quick ? { rows: 200_000, rounds: 3 } : { rows: 10_000_000, rounds: 7 }),
  },
  "against-base": {
    title: "Another checkout and this one",
    run: (quick) => benchAgainstBase(planOf(quick, 31, 500)),
  },
};

/** Names of a whole run; {@link benches} has more. */
export const usualNames = Object.keys(benches).filter((name) => name !== "against-base");

function planOf(quick: boolean, rounds: number, roundMs: number): Plan {
  return quick ? { rounds: 2, roundMs: 400, warmUpShare: 0.1 } : { rounds, roundMs };
}
