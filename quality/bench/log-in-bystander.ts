import { type Measured, runOn } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { prepareLogIns, startLogInServer } from "./log-in-database.ts";
import type { HammerRound } from "./log-in-hammer.ts";
import { type BenchResult, type BenchRow, medianOf } from "./results.ts";
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
export async function benchLogInBystander(plan: Plan): Promise<BenchResult> {
  const rows: BenchRow[] = [];
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
    rows.push(...rowsOf(name, samples, server, quietMb));
    server.stop();
  }
  return {
    rows,
    notes: ["What is said before the colon is what a log-in does after a 503. Ratios are of p99."],
  };
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

/** Rows of one reaction: what it is beside is said in words. */
function rowsOf(name: string, samples: readonly Sample[], server: Measured, quietMb: number) {
  const ratio = median(samples.map(({ busy, quiet }) => busy.p99Ms / quiet.p99Ms));
  const ratioOfHashes = median(samples.map(({ starved, quiet }) => starved.p99Ms / quiet.p99Ms));
  const logIns = median(samples.map(({ hammer }) => hammer.responses / hammer.seconds));
  return [
    {
      what: `${name}: look-ups alone`,
      ...medianOf(samples.map(({ quiet }) => quiet)),
      mb: quietMb,
    },
    {
      what: `${name}: look-ups beside hashes of another process`,
      ...medianOf(samples.map(({ starved }) => starved)),
      ratio: ratioOfHashes,
    },
    {
      what: `${name}: look-ups beside log-ins`,
      ...medianOf(samples.map(({ busy }) => busy)),
      ratio,
      mb: server.peakMb(),
    },
    { what: `${name}: log-ins`, perSecond: logIns },
  ];
}
