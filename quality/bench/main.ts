import { canPin } from "../harness/measured-program.ts";
import { benchAgainstBase } from "./against-base.ts";
import { benchCompare } from "./compare.ts";
import { benchLiveViews } from "./live-views.ts";
import { benchLogInBystander } from "./log-in-bystander.ts";
import { benchLogInRate } from "./log-in-rate.ts";
import { benchLogInTiming } from "./log-in-timing.ts";
import { benchLookUps, WrongResponse } from "./look-ups.ts";
import { benchNodes } from "./nodes.ts";
import { benchBystander, benchPageRequests } from "./page-requests.ts";
import { benchPlaceSearch } from "./place-search.ts";
import { benchRecord } from "./record.ts";
import { benchReports } from "./reports.ts";
import { benchReportsBeside } from "./reports-beside.ts";
import { keepResult } from "./results.ts";
import { benchRetention } from "./retention.ts";
import { CannotMeasure } from "./rounds.ts";
import { benchStartUp } from "./start-up.ts";

const usage = `npm run bench -- [NAME…] [--quick] [--keep] [--base FOLDER]

Measures the server and prints tables. Names: look-ups (or peers: they are in its
table), page-requests, reports-beside, live-views, bystander, nodes, record, compare, place-search, start-up,
log-in (or one of its parts: log-in-rate, log-in-bystander, log-in-timing; default: all), retention (half an hour
and 25 GB on the disk of temporary files; not among all), reports (15 minutes and 10 GB; not among all).
  --quick        few and short rounds, for a first impression
  --keep         write the tables into quality/bench/RESULTS.md, with command, machine and date
  --base FOLDER  measure another checkout, already built, beside this one in the same
                 rounds: against-base (look-ups and page requests, in many short
                 rounds), log-in-rate and start-up

A peer that is not installed is left out, with a line that says what it needs. On Debian:
apt-get install nginx php-fpm php-soap gsoap libgsoap-dev gcc libc6-dev
`;

const benches = {
  "look-ups": {
    title: "Look-ups over loopback, beside other servers",
    run: (quick: boolean) => benchLookUps(planOf(quick, 7, 2_000)),
  },
  "page-requests": {
    title: "Page requests, durable before they are acknowledged",
    run: (quick: boolean) => benchPageRequests(planOf(quick, 5, 1_500)),
  },
  "live-views": {
    title: "Page requests beside ten live views of operators",
    run: (quick: boolean) => benchLiveViews(planOf(quick, 15, 3_000)),
  },
  bystander: {
    title: "SOAP look-ups of 32 connections beside page requests of 32 others",
    run: (quick: boolean) => benchBystander(planOf(quick, 7, 3_000)),
  },
  nodes: {
    title: "Several nodes behind nginx on one PostgreSQL, each with a share of a core",
    run: (quick: boolean) => benchNodes(planOf(quick, 7, 4_000)),
  },
  record: {
    title: "Calls through wfh migrate record, on the core of the server",
    run: (quick: boolean) => benchRecord(planOf(quick, 7, 5_000)),
  },
  compare: {
    title: "Comparison of recorded responses with ours, on one core",
    run: (quick: boolean) => benchCompare(planOf(quick, 7, 2_000)),
  },
  "place-search": {
    title: "Searches of places, in the process",
    run: (quick: boolean) => benchPlaceSearch(quick ? 1_000 : 10_000),
  },
  "start-up": { title: "Start-up", run: (quick: boolean) => benchStartUp(quick ? 3 : 11) },
  "log-in-rate": {
    title: "Log-ins with right passwords, beside nothing but their hashes",
    run: (quick: boolean) => benchLogInRate(planOf(quick, 5, 4_000)),
  },
  "log-in-bystander": {
    title: "Look-ups, 100 a second, beside log-ins of 200 connections",
    run: (quick: boolean) => benchLogInBystander(planOf(quick, 3, 8_000)),
  },
  "log-in-timing": {
    title: "Time of refused log-ins by their reason",
    run: (quick: boolean) =>
      benchLogInTiming(
        quick
          ? [
              { atOnce: 1, rounds: 100, others: 30 },
              { atOnce: 6, rounds: 20, others: 20 },
            ]
          : [
              { atOnce: 1, rounds: 1_000, others: 300 },
              { atOnce: 6, rounds: 300, others: 300 },
              { atOnce: 40, rounds: 60, others: 60 },
            ],
      ),
  },
  retention: {
    title: "Retention beside page requests of 8 senders",
    run: (quick: boolean) =>
      benchRetention(
        quick
          ? { rounds: 2, rows: 1_000_000, rowsOfDay: 250_000 }
          : { rounds: 3, rows: 10_000_000, rowsOfDay: 2_500_000 },
      ),
  },
  reports: {
    title: "Reports of page requests over 400 days",
    run: (quick: boolean) =>
      benchReports(quick ? { rows: 1_000_000, rounds: 5 } : { rows: 10_000_000, rounds: 9 }),
  },
  "reports-beside": {
    title: "Page requests of a server that counts them for reports",
    run: (quick: boolean) => benchReportsBeside(planOf(quick, 11, 6_000)),
  },
  "against-base": {
    title: "Another checkout and this one",
    run: (quick: boolean) => benchAgainstBase(planOf(quick, 31, 500)),
  },
} as const;

type Name = keyof typeof benches;

function planOf(quick: boolean, rounds: number, roundMs: number) {
  return quick ? { rounds: 3, roundMs: 1_000 } : { rounds, roundMs };
}

/** Names for others: `log-in` has three parts, and `peers` are in the table of look-ups. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "log-in": Object.keys(benches).filter((name) => name.startsWith("log-in-")),
  peers: ["look-ups"],
};
const words = process.argv.slice(2);
const baseAt = words.indexOf("--base");
const names = words
  .filter((word, i) => !word.startsWith("--") && (baseAt < 0 || i !== baseAt + 1))
  .flatMap((word) => groups[word] ?? [word]);
const isUnknown = names.some((name) => !Object.hasOwn(benches, name));
if (words.includes("--help") || isUnknown) {
  process.stdout.write(usage);
  // Left to end by itself, the process ends with 0: the package of PostgreSQL sees to that.
  process.exit(isUnknown ? 2 : 0);
}
if (!canPin) {
  console.error("taskset is not installed: server and load share their cores, ratios will be off.");
}
const usual = Object.keys(benches).filter(
  (name) => !["against-base", "retention", "reports"].includes(name),
);
for (const name of (names.length > 0 ? names : usual) as Name[]) {
  const { title, run } = benches[name];
  try {
    const table = await run(words.includes("--quick"));
    console.log(`\n${title}\n\n${table}`);
    if (words.includes("--keep")) keepResult(title, `npm run bench -- ${name}`, table);
  } catch (error) {
    if (error instanceof CannotMeasure) {
      console.error(`${name} is left out. ${error.message}`);
      continue;
    }
    if (!(error instanceof WrongResponse)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
