import { type Measured, runOn } from "../harness/measured-program.ts";
import { median, renderMarkdown } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { prepareLogIns, startLogInServer } from "./log-in-database.ts";
import type { HammerRound } from "./log-in-hammer.ts";
import type { Plan } from "./rounds.ts";

const connections = 200;
const lookUpsPerSecond = 100;
/** Time that the log-ins have before the first look-up, and after the last, in milliseconds. */
const marginMs = 1_000;

/** Look-ups alone, beside log-ins, and beside hashes of another process, in one round. */
interface Sample {
  readonly quiet: Round;
  readonly busy: Round;
  readonly hammer: HammerRound;
  readonly starved: Round;
}

/** Reactions of log-ins to a 503, and options of the server. */
const variants = [
  { name: "waits as asked", manners: "polite", environment: {} },
  { name: "tries again at once", manners: "rude", environment: {} },
  {
    name: "waits as asked; WFH_HASHES_AT_ONCE=1",
    manners: "polite",
    environment: { WFH_HASHES_AT_ONCE: "1" },
  },
] as const;

/**
 * Measures look-ups at a fixed rate, alone and while 200 connections log in as fast as they may.
 * Another process that hashes on all cores shows the machine's part of the latency.
 */
export async function benchLogInBystander(plan: Plan): Promise<string> {
  const rows: string[][] = [];
  for (const { name, manners, environment } of variants) {
    const server = await startLogInServer(await prepareLogIns(), environment);
    await lookUp(server, plan.roundMs);
    const samples: Sample[] = [];
    const quietMb = server.peakMb();
    for (let round = 0; round < plan.rounds; round += 1) {
      samples.push(await measure(server, manners, plan.roundMs));
      process.stderr.write(`\r${name}: round ${round + 1} of ${plan.rounds}   `);
    }
    process.stderr.write("\n");
    const memory = [quietMb, server.peakMb()].map((mb) => mb.toFixed(0));
    rows.push([name, ...samplesOf(samples), ...memory]);
    server.stop();
  }
  return renderMarkdown([heading, ...rows]);
}

async function measure(server: Measured, manners: string, roundMs: number): Promise<Sample> {
  const quiet = await lookUp(server, roundMs);
  const busyMs = String(roundMs + 2 * marginMs);
  const hashing = runOn("any", ["quality/bench/raw-hashes.ts", busyMs]);
  const starved = await lookUpWithin(server, roundMs);
  await hashing;
  const words = [
    "quality/bench/log-in-hammer.ts",
    server.url,
    manners,
    busyMs,
    String(connections),
  ];
  const hammering = runOn("any", words);
  const busy = await lookUpWithin(server, roundMs);
  return { quiet, starved, busy, hammer: JSON.parse(await hammering) as HammerRound };
}

async function lookUpWithin(server: Measured, forMs: number): Promise<Round> {
  await new Promise((resolve) => setTimeout(resolve, marginMs));
  return lookUp(server, forMs);
}

async function lookUp(server: Measured, forMs: number): Promise<Round> {
  const shape = [String(forMs), "1", "0", String(lookUpsPerSecond)];
  const words = ["quality/bench/load.ts", server.url, "look-ups-checked", ...shape];
  return JSON.parse(await runOn("any", words)) as Round;
}

const heading = [
  "after a 503",
  "log-ins/s",
  "of them good",
  "503/s",
  "p50 alone, ms",
  "p50 beside log-ins",
  "p99 alone",
  "p99 beside hashes elsewhere",
  "p99 beside log-ins",
  "ratio to alone",
  "ratio to hashes elsewhere",
  "slowest",
  "peak MB alone",
  "peak MB",
];

function samplesOf(samples: readonly Sample[]): string[] {
  const of = (value: (sample: Sample) => number) => median(samples.map(value));
  return [
    of(({ hammer }) => hammer.responses / hammer.seconds).toFixed(0),
    of(({ hammer }) => hammer.loggedIn / hammer.seconds).toFixed(0),
    of(({ hammer }) => hammer.turnedAway / hammer.seconds).toFixed(0),
    of(({ quiet }) => quiet.p50Ms).toFixed(2),
    of(({ busy }) => busy.p50Ms).toFixed(2),
    of(({ quiet }) => quiet.p99Ms).toFixed(2),
    of(({ starved }) => starved.p99Ms).toFixed(2),
    of(({ busy }) => busy.p99Ms).toFixed(2),
    of(({ quiet, busy }) => busy.p99Ms / quiet.p99Ms).toFixed(2),
    of(({ starved, busy }) => busy.p99Ms / starved.p99Ms).toFixed(2),
    Math.max(...samples.map(({ busy }) => busy.slowestMs)).toFixed(0),
  ];
}
