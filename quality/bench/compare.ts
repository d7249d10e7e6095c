import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "@wfh/cli/program.ts";
import { compareExchange, oldResponseOf } from "@wfh/migrate/compare/response-comparison.ts";
import { RuleBook } from "@wfh/migrate/compare/rules.ts";
import { type Exchange, parseExchange } from "@wfh/migrate/exchange.ts";
import { tools } from "@wfh/migrate/tools.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { median } from "../harness/tables.ts";
import type { BenchResult } from "./results.ts";
import type { Plan } from "./rounds.ts";

/** Exchanges of the recording for the whole command, for each millisecond of a round. */
const perMs = 10;
/** Time before anything is measured, in milliseconds. */
const warmUpMs = 500;

/** Compares exchanges for a while, or all of a recording; resolves to how many. */
type Run = (roundMs: number) => Promise<number> | number;

/**
 * Measures compared exchanges of a recording per second: by the whole command, which also calls our
 * server and reports; by meaning alone; and as bytes. All of them read the lines.
 */
export async function benchCompare({ rounds, roundMs }: Plan): Promise<BenchResult> {
  const file = new URL("../../packages/migrate/test/reference.ndjson", import.meta.url);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .filter((line) => isLookUp(parseExchange(JSON.parse(line))));
  const rules = new RuleBook();
  const folder = temporaryFolder();
  const count = roundMs * perMs;
  const words = writeRecording(folder, lines, count);
  const ways: Readonly<Record<string, Run>> = {
    "the whole command": () => runCommand(words, count),
    "by meaning, ids mapped": (ms) => repeat(lines, ms, (one) => compareByMeaning(one, rules)),
    "bytes only": (ms) => repeat(lines, ms, compareBytes),
  };
  const rates = Object.entries(ways).map(([name, run]) => ({
    name,
    run,
    perSecond: [] as number[],
    cpuUs: [] as number[],
  }));
  for (const { run } of rates) await run(warmUpMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, perSecond, cpuUs } of rates) {
      const startedMs = performance.now();
      const cpu = process.cpuUsage();
      const compared = await run(roundMs);
      perSecond.push((compared * 1_000) / (performance.now() - startedMs));
      const { user, system } = process.cpuUsage(cpu);
      cpuUs.push((user + system) / compared);
    }
  }
  const rows = rates.map(({ name, perSecond }) => ({ what: name, perSecond: median(perSecond) }));
  const costs = rates.map(({ name, cpuUs }) => `${median(cpuUs).toFixed(0)} (${name})`);
  return { rows, notes: [`Processor time of each, in µs: ${costs.join(", ")}.`] };
}

function isLookUp({ response, operation }: Exchange): boolean {
  return response?.status === 200 && operation !== null && !/^(?:Log|Try)/.test(operation);
}

/** Writes a recording of so many lines; returns the words of the command that compares it. */
function writeRecording(folder: string, lines: readonly string[], count: number) {
  const recording = join(folder, "old.ndjson");
  const settings = join(folder, "settings.toml");
  const repeated = Array.from({ length: count }, (_, i) => lines[i % lines.length]);
  writeFileSync(recording, `${repeated.join("\n")}\n`);
  writeFileSync(settings, 'WFH_LOCATION_NAMESPACE = "http://example.org/location/"\n');
  return ["migrate", "compare", recording, "--quiet", "--config", settings];
}

/** Runs the command, with the start of its server. */
async function runCommand(words: readonly string[], count: number): Promise<number> {
  const { stdin: input, stderr } = process;
  const terminal = { out: () => {}, err: (text: string) => stderr.write(text), input };
  const code = await runProgram(words, terminal, tools);
  // Three requests of the reference are refused here: differences.
  if (code > 1) throw new Error(`wfh migrate compare ended with ${code}`);
  return count;
}

function repeat(
  lines: readonly string[],
  roundMs: number,
  compare: (exchange: Exchange) => boolean,
): number {
  const endMs = performance.now() + roundMs;
  let count = 0;
  for (; performance.now() < endMs; count += 1) {
    const exchange = parseExchange(JSON.parse(lines[count % lines.length] ?? ""));
    if (!compare(exchange)) throw new Error(`${exchange.request.target} differs`);
  }
  return count;
}

function compareByMeaning(exchange: Exchange, rules: RuleBook): boolean {
  const old = oldResponseOf(exchange);
  const text = Buffer.from(old.body)
    .toString()
    .replace(/(State_id\W+)33\b/g, "$1923");
  const { result } = compareExchange(exchange, { ...old, body: Buffer.from(text) }, rules);
  return result !== "different";
}

function compareBytes(exchange: Exchange): boolean {
  const old = Buffer.from(oldResponseOf(exchange).body);
  return old.equals(Buffer.from(old));
}
