import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type ServerProcess, startServerProcess } from "@wfh/cli/test/server-process.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { KillWatch } from "../harness/kill-watch.ts";
import { addAccounts, logInWorks } from "../harness/log-in-work.ts";
import { lookUpWorks } from "../harness/look-up-work.ts";
import { pageRequestWorks } from "../harness/page-request-work.ts";
import { descriptorsOf, residentOf } from "../harness/process-memory.ts";
import { SentLog } from "../harness/sent-log.ts";
import { openSharedSocket } from "../harness/shared-socket.ts";
import { storedPageRequests } from "../harness/stored-page-requests.ts";
import { Tally } from "../harness/tally.ts";
import { runWorks, type Work } from "../harness/work-loop.ts";
import { keepKilling } from "./fault-injector.ts";
import type { MemorySample } from "./memory-record.ts";
import { otherWorks } from "./other-work.ts";
import { findFailures, renderReport, type SoakFindings } from "./soak-report.ts";
import { sendUnderKills } from "./soak-send.ts";

// `npm run test:soak`: an hour of mixed load on two servers on one socket and one PostgreSQL, one
// of them killed each minute. Exits with 1 on a loss, error or leak. See docs/hardening.md.

/** Interval of memory samples, in milliseconds; less in a short run, to get forty. */
const sampleMs = 10_000;
const samplesMin = 40;
const progressMs = 60_000;
/** Look-ups a second for each of the six kinds. */
const lookUpsPerSecond = 36;
const pageRequestsPerSecond = 100;

/** Length and rate of a run. */
interface SoakPlan {
  readonly minutes: number;
  readonly killSeconds: number;
  /** Times of the usual rate of requests, which is some 360 a second. */
  readonly rate: number;
  /** Tells the rows and accounts of this run from those of others in the same database. */
  readonly run: string;
  /** Of the changes of malformed requests. */
  readonly seed: number;
}

/**
 * Reads WFH_SOAK_MINUTES (60), _KILL_SECONDS (60), _RATE (1) and _SEED (random).
 *
 * @throws {Error} that names the variable with an invalid value.
 */
function readPlan(environment: Readonly<Record<string, string | undefined>>): SoakPlan {
  const read = (name: string, fallback: number, [least, most]: readonly [number, number]) => {
    const value = Number(environment[name] ?? fallback);
    if (value >= least && value <= most) return value;
    throw new Error(`${name} is ${environment[name]}: give a number from ${least} to ${most}.`);
  };
  return {
    // A fortnight: beyond that, cookies of visitors end.
    minutes: read("WFH_SOAK_MINUTES", 60, [0.1, 14 * 24 * 60]),
    killSeconds: read("WFH_SOAK_KILL_SECONDS", 60, [10, 86_400]),
    // More would keep the load busy, which then measures itself.
    rate: read("WFH_SOAK_RATE", 1, [0.05, 5]),
    run: `r${Date.now().toString(36)}`,
    seed: read("WFH_SOAK_SEED", randomInt(2 ** 31), [0, 2 ** 31]),
  };
}

function listWorks(plan: SoakPlan, sentLog: SentLog, logIns: readonly Work[]) {
  const works = [
    ...lookUpWorks(lookUpsPerSecond),
    ...pageRequestWorks(pageRequestsPerSecond, plan.run, sentLog),
    ...logIns,
    ...otherWorks(plan.seed),
  ];
  return works.map((work) => ({ ...work, perSecond: work.perSecond * plan.rate }));
}

/** Does something again and again until it is over, first after one pause. */
async function every(ms: number, over: AbortSignal, run: () => void): Promise<void> {
  try {
    for (;;) {
      await pause(ms, undefined, { signal: over });
      run();
    }
  } catch (cause) {
    if (!over.aborted) throw cause;
  }
}

async function soak(plan: SoakPlan, databaseUrl: string): Promise<SoakFindings> {
  const { run, minutes, killSeconds } = plan;
  const accounts = await addAccounts(databaseUrl, run);
  const socket = openSharedSocket();
  const settings = {
    WFH_DATABASE_URL: databaseUrl,
    WFH_TRUSTED_PROXIES: "127.0.0.1",
    WFH_METRICS: "on",
    // As `npm start` has it.
    NODE_OPTIONS: "--max-semi-space-size=4",
  };
  const start = (): Promise<ServerProcess> => startServerProcess(settings, { socket: socket.fd });
  const kept = await start();
  const sentLog = new SentLog();
  const tally = new Tally();
  const kills = new KillWatch();
  const over = AbortSignal.timeout(minutes * 60_000);
  const works = listWorks(plan, sentLog, logInWorks(accounts));
  // In the order of the table.
  for (const { kind } of works) tally.of(kind);
  const load = runWorks(works, { url: socket.url, over }, (work) =>
    sendUnderKills(work, tally, kills),
  );
  const samples: MemorySample[] = [];
  const started = performance.now();
  const sample = () => {
    const atMs = performance.now() - started;
    samples.push({ atMs, bytes: residentOf(kept.pid), descriptors: descriptorsOf(kept.pid) });
  };
  const progress = () => {
    console.log(progressLine({ startedMs: started, tally, kills, samples }));
  };
  const [record] = await Promise.all([
    keepKilling(kept, start, kills, { killSeconds, over }),
    every(Math.min(sampleMs, (minutes * 60_000) / samplesMin), over, sample),
    every(progressMs, over, progress),
    load,
  ]);
  kept.signal("SIGTERM");
  const exitCode = await kept.ended();
  socket.close();
  const found = await sentLog.compare(storedPageRequests(databaseUrl, run));
  return { tally, kills, record, sentLog: found, samples, exitCode, minutes };
}

interface Progress {
  readonly startedMs: number;
  readonly tally: Tally;
  readonly kills: KillWatch;
  readonly samples: readonly MemorySample[];
}

function progressLine({ startedMs, tally, kills, samples }: Progress): string {
  const minutes = Math.round((performance.now() - startedMs) / 60_000);
  const held = samples.slice(-1).map(({ bytes }) => `${(bytes / 1_000_000).toFixed(0)} MB`);
  const own = (process.memoryUsage.rss() / 1_000_000).toFixed(0);
  return (
    `${minutes} min: ${tally.sum(({ right }) => right)} right, ${tally.sum(({ wrong }) => wrong)} wrong, ` +
    `${tally.sum(({ cutOff }) => cutOff)} cut off by ${kills.effects.length} kills; server ${held}, load ${own} MB`
  );
}

const plan = readPlan(process.env);
console.log(
  `${plan.minutes} minutes, a server killed every ${plan.killSeconds} s, seed ${plan.seed}`,
);
const engines = await startEngines();
const postgres = engines.find(({ name }) => name === "PostgreSQL");
if (postgres?.missing !== undefined) throw new Error(postgres.missing);
const database = await postgres?.createDatabase();
const findings = await soak(plan, database?.url ?? "");
for (const engine of engines) await engine.close();
const failures = findFailures(findings);
console.log(`\n${renderReport(findings)}\n`);
for (const example of findings.tally.examples) console.error(example);
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(failures.length === 0 ? "Nothing lost, nothing wrong, memory flat." : "FAILED");
process.exitCode = failures.length === 0 ? 0 : 1;
