import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause, setImmediate } from "node:timers/promises";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { findPrograms } from "../harness/debian-postgres.ts";
import { findGrowth, type MemorySample, sampleMemory } from "../harness/memory-growth.ts";
import { unpackVersion } from "../harness/previous-version.ts";
import { isRunning } from "../harness/programs.ts";
import { storedPageRequests } from "../harness/stored-page-requests.ts";
import { Deployment } from "./deployment.ts";
import { type Fault, faults } from "./faults.ts";
import { type Load, startLoad } from "./load.ts";
import {
  findFailures,
  type Group,
  type GroupCount,
  type RunOutcome,
  renderTable,
  toRows,
} from "./report.ts";

// Three loaded nodes behind nginx, two databases behind HAProxy, each fault once, or one a minute
// for NODES_MINUTES. NODES_FAULTS is a pattern of faults, NODES_PREVIOUS a commit to upgrade from.

after(killPrograms);

const minutes = Number(process.env["NODES_MINUTES"] ?? 0);
assert.ok(
  minutes >= 0,
  `NODES_MINUTES is ${process.env["NODES_MINUTES"]}: give a number of minutes`,
);
const minuteMs = 60_000;
const only = new RegExp(process.env["NODES_FAULTS"] ?? "");
/** Least load before and after a fault, in milliseconds. */
const quietMs = minutes > 0 ? 5_000 : 700;
/** Calls in flight for which a fault waits, and for how long, in milliseconds. */
const busyCalls = 5;
const busyMs = 1_000;

// Where the full tests must not leave anything out, a missing program is a failure.
const missing = process.env["INTEROP_REQUIRED"] === undefined ? findMissing() : undefined;

/** Why the nodes cannot be run here; undefined where they can. */
function findMissing(): string | undefined {
  const names = ["haproxy", "nginx"].filter((program) => !isRunning(program, ["-v"]));
  if (findPrograms() === undefined) names.push("postgresql");
  return names.length > 0 ? `missing: apt-get install ${names.join(" ")}` : undefined;
}

/** A run whose rows are yet to be compared. */
type Begun = Omit<RunOutcome, "acknowledged" | "lost" | "duplicated" | "foreign"> & {
  readonly load: Load;
};

/** Runs a fault under load, which goes on for some time in all. */
async function runFault(
  deployment: Deployment,
  fault: Fault,
  run: number,
  lastsMs: number,
): Promise<Begun> {
  const started = performance.now();
  deployment.nodes.takeLog();
  const load = await startLoad(
    deployment,
    `${fault.name.replace(/\W/g, "")}-${Date.now().toString(36)}`,
  );
  let inFlight = 0;
  try {
    await pause(quietMs);
    inFlight = await untilBusy(load);
    await fault.inject(deployment, run);
    await deployment.nodes.untilReady();
    await pause(Math.max(quietMs, lastsMs - (performance.now() - started)));
  } finally {
    await load.stop();
  }
  const recordId = String(load.victim);
  const guesses = deployment.nodes
    .takeLog()
    .filter((line) => line["reason"] === "wrong-password" && line["recordId"] === recordId);
  return {
    fault: fault.name,
    isGraceful: fault.isGraceful ?? false,
    inFlight,
    load,
    examples: load.tally.examples,
    calls: {
      "page requests": countOf(load, "page requests"),
      "look-ups": countOf(load, "look-ups"),
      "log-ins": countOf(load, "log-ins"),
    },
    guessesOfAccount: guesses.length,
    guessesOfNetwork: load.guessesOfNetwork(),
  };
}

/** Waits a moment for some calls to be in flight; resolves to how many. */
async function untilBusy(load: Load): Promise<number> {
  const until = performance.now() + busyMs;
  while (load.inFlight() < busyCalls && performance.now() < until) await setImmediate();
  return load.inFlight();
}

/** Outcomes of a group's calls so far. */
function countOf({ tally }: Load, group: Group): GroupCount {
  const { failed, statuses, wrong } = tally.of(group);
  return { failed, statuses, wrong, gapMs: tally.of(group).longestGapMs() };
}

async function compare(deployment: Deployment, { load, ...begun }: Begun): Promise<RunOutcome> {
  const { sentLog, run } = load;
  const found = await sentLog.compare(storedPageRequests(deployment.databaseUrl, run));
  const { acknowledged, lost, twice: duplicated, foreign } = found;
  return { ...begun, acknowledged, lost, duplicated, foreign };
}

/** Compares all runs with the final database, prints the table, and fails on a broken promise. */
async function report(deployment: Deployment, begun: readonly Begun[]): Promise<void> {
  const outcomes: RunOutcome[] = [];
  for (const run of begun) outcomes.push(await compare(deployment, run));
  const rows = toRows(outcomes);
  console.log(`${renderTable(rows)}\n\n${JSON.stringify(rows)}`);
  assert.deepEqual(findFailures(outcomes), []);
}

test("three nodes on a primary and a standby lose nothing, store nothing twice and let nobody in wrongly, whatever fails", {
  skip: missing ?? false,
  timeout: minutes * minuteMs + 300_000,
}, async (t) => {
  const deployment = await Deployment.open();
  t.after(() => deployment.close());
  const possible = faults.filter((fault) => {
    if (!only.test(fault.name)) return false;
    const reason = fault.missing?.(deployment);
    if (reason !== undefined) t.diagnostic(`${fault.name}: left out, ${reason}`);
    return reason === undefined;
  });
  const endMs = performance.now() + minutes * minuteMs;
  const begun: Begun[] = [];
  const memory: MemorySample[] = [];
  // Half a minute before the end is too late for one more.
  const mayGoOn = () => begun.length < possible.length || performance.now() < endMs - minuteMs / 2;
  try {
    while (mayGoOn()) {
      const run = begun.length;
      const fault = possible[run % possible.length] ?? assert.fail();
      console.log(`${new Date().toISOString()} ${fault.name}`);
      begun.push(await runFault(deployment, fault, run, minutes > 0 ? minuteMs : 0));
      memory.push(sampleMemory(deployment.nodes.pidOf(deployment.lastNode)));
    }
  } finally {
    await report(deployment, begun);
  }
  assert.deepEqual(findGrowth(memory), []);
});

const previous = process.env["NODES_PREVIOUS"];

test("nodes of the previous version are upgraded one after the other, and nothing is lost", {
  skip: missing ?? (previous === undefined ? "NODES_PREVIOUS names no commit" : false),
  timeout: 300_000,
}, async (t) => {
  const deployment = await Deployment.open({ main: unpackVersion(previous ?? "") });
  t.after(() => deployment.close());
  const upgrade: Fault = {
    name: "rolling upgrade",
    inject: async ({ nodes }) => {
      for (const node of nodes.numbers) await nodes.restart(node);
    },
  };
  await report(deployment, [await runFault(deployment, upgrade, 0, 0)]);
});
