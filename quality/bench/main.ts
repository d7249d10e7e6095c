import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { canPin } from "../harness/measured-program.ts";
import { benches, usualNames } from "./benches.ts";
import {
  type BenchResult,
  keepResults,
  type NamedResult,
  renderResults,
  startRun,
} from "./results.ts";

const usage = `npm run bench -- [NAME…] [--quick] [--keep] [--base FOLDER]

Measures the server and prints one table. Without names it runs every benchmark but against-base,
which takes some 65 minutes and 10 GB on the disk of temporary files:
${Object.entries(benches)
  .map(([name, { title }]) => `  ${name.padEnd(16)} ${title}`)
  .join("\n")}

  --quick        few and short rounds, for a first impression
  --keep         write the table of a whole run into quality/bench/RESULTS.md, with commit,
                 machine and date; not with names
  --base FOLDER  measure another checkout, already built, beside this one in the same
                 rounds: against-base, log-in-rate and start-up

A peer that is not installed is left out, with a line that says what it needs. On Debian:
apt-get install nginx php-fpm php-soap gsoap libgsoap-dev gcc libc6-dev
`;

/** Longest time that a benchmark may take without the hour of idleness, in milliseconds. */
const patienceMs = 40 * 60_000;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    base: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const isUnknown = names.some((name) => !Object.hasOwn(benches, name));
if (options.help || isUnknown) {
  process.stdout.write(usage);
  process.exit(isUnknown ? 2 : 0);
}
if (options.keep && names.length > 0) {
  console.error("Only a whole run is kept, as one table of one commit: leave out the names.");
  process.exit(2);
}
if (!canPin) {
  console.error("taskset is not installed: server and load share their cores, ratios will be off.");
}

const start = startRun();
const failed: string[] = [];
const results = await runAll(names.length > 0 ? names : usualNames);
if (results.length > 1) console.log(`\n${renderResults(results)}`);
if (failed.length > 0) {
  console.error(`Failed, so that nothing is kept: ${failed.join(", ")}`);
  process.exit(1);
}
if (options.keep) keepResults(results, start);

/** Runs benchmarks one after the other; those that wait for the end start before all others. */
async function runAll(wanted: readonly string[]): Promise<readonly NamedResult[]> {
  const found: NamedResult[] = [];
  const waiting = wanted.filter((name) => benches[name]?.waitsForEnd).map(startBench);
  const finish = (name: string, result: BenchResult | undefined) => {
    if (result === undefined) failed.push(name);
    else {
      found.push({ name, title: benches[name]?.title ?? "", ...result });
      console.log(`\n${renderResults(found.slice(-1))}`);
    }
  };
  for (const { child } of waiting) {
    // What it prepares must not weigh on the others.
    await Promise.race([once(child, "message"), once(child, "exit")]);
  }
  for (const name of wanted) {
    if (benches[name]?.waitsForEnd) continue;
    const minutes = (Date.now() - start.at.getTime()) / 60_000;
    console.error(`\n${minutes.toFixed(0)} minutes: ${name} begins`);
    finish(name, (await startBench(name).outcome) ?? (await runAgain(name)));
  }
  for (const bench of waiting) {
    console.error(`\nWaits for ${bench.name}`);
    if (bench.child.connected) bench.child.send("end");
    finish(bench.name, await bench.outcome);
  }
  return found;
}

/** Runs a benchmark that has failed once more, so that an hour is not lost; its notes say so. */
async function runAgain(name: string): Promise<BenchResult | undefined> {
  console.error(`\n${name} failed, and is run once more`);
  const result = await startBench(name).outcome;
  return result && { ...result, notes: [...(result.notes ?? []), "A first attempt failed."] };
}

/** Starts a benchmark; its outcome is undefined when it failed. */
function startBench(name: string) {
  const words = [name, ...(options.quick ? ["--quick"] : [])];
  if (options.base !== undefined) words.push("--base", options.base);
  const child = fork(new URL("one-bench.ts", import.meta.url), words, {
    // Figures that are NaN stay so.
    serialization: "advanced",
    ...(!benches[name]?.waitsForEnd && { timeout: patienceMs }),
  });
  const outcome = new Promise<BenchResult | undefined>((resolve) => {
    let result: BenchResult | undefined;
    child.on("message", (message) => {
      result = message as BenchResult;
    });
    // By then its servers have ended as well.
    child.once("exit", (code) => resolve(code === 0 ? result : undefined));
  });
  return { name, child, outcome };
}
