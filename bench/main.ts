import { benchInProcess } from "./in-process.ts";
import { benchLookUps } from "./look-ups.ts";
import { benchBystander, benchPageRequests } from "./page-requests.ts";
import { canPin } from "./processes.ts";
import { keepResult } from "./results.ts";
import { benchStartUp } from "./start-up.ts";

const usage = `npm run bench -- [NAME…] [--quick] [--keep]

Measures the server and prints tables. Names: look-ups,
page-requests, bystander, in-process, start-up (default: all).
  --quick   few and short rounds, for a first impression
  --keep    writes the tables into bench/RESULTS.md, with command, machine and date
`;

const benches = {
  "look-ups": {
    title: "Look-ups over loopback, beside a bare node:http server",
    run: (quick: boolean) =>
      benchLookUps(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 7, roundMs: 3_000 }),
  },
  "page-requests": {
    title: "Page requests, durable before they are answered",
    run: (quick: boolean) =>
      benchPageRequests(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 5, roundMs: 3_000 }),
  },
  bystander: {
    title: "SOAP look-ups of 32 connections beside page requests of 32 others",
    run: (quick: boolean) =>
      benchBystander(quick ? { rounds: 3, roundMs: 1_000 } : { rounds: 7, roundMs: 3_000 }),
  },
  "in-process": {
    title: "One look-up in process, without HTTP",
    run: (quick: boolean) => benchInProcess(quick ? 3 : 15),
  },
  "start-up": { title: "Start-up", run: (quick: boolean) => benchStartUp(quick ? 3 : 11) },
} as const;

type Name = keyof typeof benches;

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
const unknown = names.filter((name) => !(name in benches));
if (words.includes("--help") || unknown.length > 0) {
  process.stdout.write(usage);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  if (!canPin)
    console.error("taskset is not there: server and load share their cores, ratios will be off.");
  for (const name of (names.length > 0 ? names : Object.keys(benches)) as Name[]) {
    const { title, run } = benches[name];
    const table = await run(words.includes("--quick"));
    console.log(`\n${title}\n\n${table}`);
    if (words.includes("--keep")) keepResult(title, `npm run bench -- ${name}`, table);
  }
}
