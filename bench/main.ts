import { benchImports } from "./imports.ts";
import { benchInProcess } from "./in-process.ts";
import { benchLogInBystander } from "./log-in-bystander.ts";
import { benchLogInRate } from "./log-in-rate.ts";
import { benchLogInTiming } from "./log-in-timing.ts";
import { benchLookUps, WrongAnswer } from "./look-ups.ts";
import { benchBystander, benchPageRequests } from "./page-requests.ts";
import { canPin } from "./processes.ts";
import { keepPicture, keepResult } from "./results.ts";
import { benchStartUp } from "./start-up.ts";
import { benchWorkers } from "./workers.ts";

const usage = `npm run bench -- [NAME…] [--quick] [--keep]
npm run bench -- picture

Measures the server and prints tables. Names: look-ups (or peers: they are in its
table), page-requests, bystander, workers, in-process, start-up, imports, log-in (or
of its parts: log-in-rate, log-in-bystander, log-in-timing; default: all).
  --quick   few and short rounds, for a first impression
  --keep    writes the tables into bench/RESULTS.md, with command, machine and date,
            and the picture of them
  picture   draws bench/results.svg from the tables in bench/RESULTS.md

A peer that is not installed is left out, with a line that says what it needs. On Debian:
apt-get install nginx php-fpm php-soap gsoap libgsoap-dev gcc libc6-dev
`;

const benches = {
  "look-ups": {
    title: "Look-ups over loopback, beside other servers",
    run: (quick: boolean) =>
      benchLookUps(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 7, roundMs: 2_000 }),
  },
  "page-requests": {
    title: "Page requests, durable before they are answered",
    run: (quick: boolean) =>
      benchPageRequests(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 5, roundMs: 1_500 }),
  },
  bystander: {
    title: "SOAP look-ups of 32 connections beside page requests of 32 others",
    run: (quick: boolean) =>
      benchBystander(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 7, roundMs: 3_000 }),
  },
  workers: {
    title: "Several processes on one port, the load on the same cores",
    run: (quick: boolean) =>
      benchWorkers(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 7, roundMs: 3_000 }),
  },
  "in-process": {
    title: "One look-up in process, without HTTP",
    run: (quick: boolean) => benchInProcess(quick ? 3 : 15),
  },
  "start-up": { title: "Start-up", run: (quick: boolean) => benchStartUp(quick ? 3 : 11) },
  imports: {
    title: "An import of 1.2 million rows, and what is served from it",
    run: (quick: boolean) => benchImports(quick ? 1 : 3),
  },
  "log-in-rate": {
    title: "Log-ins with right passwords, beside nothing but their hashes",
    run: (quick: boolean) =>
      benchLogInRate(quick ? { rounds: 2, roundMs: 2_000 } : { rounds: 5, roundMs: 4_000 }),
  },
  "log-in-bystander": {
    title: "Look-ups, 100 a second, beside log-ins of 200 connections",
    run: (quick: boolean) =>
      benchLogInBystander(quick ? { rounds: 2, roundMs: 3_000 } : { rounds: 3, roundMs: 8_000 }),
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
} as const;

type Name = keyof typeof benches;

const words = process.argv.slice(2);
/** Names for others: `log-in` has three parts, and `peers` are what look-ups are beside. */
const parts = {
  "log-in": Object.keys(benches).filter((name) => name.startsWith("log-in-")),
  peers: ["look-ups"],
};
const names = words
  .filter((word) => !word.startsWith("--"))
  .flatMap((word) => parts[word as keyof typeof parts] ?? word);
const unknown = names.filter(
  (name) => !(name in benches || (name === "picture" && names.length === 1)),
);
if (words.includes("--help") || unknown.length > 0) {
  process.stdout.write(usage);
  // Left to end by itself, the process ends with 0: the package of PostgreSQL sees to that.
  process.exit(unknown.length > 0 ? 2 : 0);
} else if (words.includes("picture")) {
  keepPicture();
} else {
  if (!canPin)
    console.error("taskset is not there: server and load share their cores, ratios will be off.");
  for (const name of (names.length > 0 ? names : Object.keys(benches)) as Name[])
    await measure(name);
}

async function measure(name: Name): Promise<void> {
  const { title, run } = benches[name];
  try {
    const table = await run(words.includes("--quick"));
    console.log(`\n${title}\n\n${table}`);
    if (words.includes("--keep")) keepResult(title, `npm run bench -- ${name}`, table);
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
