import { readFileSync } from "node:fs";
import { compareExchange, oldResponseOf } from "../src/migration/compare/compare.ts";
import { RuleBook } from "../src/migration/compare/rules.ts";
import { type Exchange, parseExchange } from "../src/migration/exchange.ts";
import { median, renderMarkdown } from "./results.ts";

/** Exchanges compared before anything is timed. */
const warmUpCount = 5_000;

interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

/** How many exchanges of a recording a core compares a second, beside comparing nothing but bytes. Both read the lines too. */
export async function benchCompare({ rounds, roundMs }: Plan): Promise<string> {
  const file = new URL("../test/migration/reference.ndjson", import.meta.url);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .filter((line) => parseExchange(JSON.parse(line)).response?.status === 200);
  const rules = new RuleBook();
  const ways = {
    "by meaning, ids mapped": (exchange: Exchange) => compareByMeaning(exchange, rules),
    "bytes only": compareBytes,
  };
  const rates = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (const way of Object.values(ways)) run(lines, way, (count) => count < warmUpCount);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const endMs = performance.now() + roundMs;
      const startedMs = performance.now();
      const count = run(lines, way, () => performance.now() < endMs);
      rates.get(name)?.push((count * 1_000) / (performance.now() - startedMs));
    }
  }
  const rows = [...rates].map(([name, own]) => [
    name,
    median(own).toFixed(0),
    `${Math.min(...own).toFixed(0)}–${Math.max(...own).toFixed(0)}`,
  ]);
  return renderMarkdown([["comparison", "exchanges/s", "min–max"], ...rows]);
}

function run(
  lines: readonly string[],
  compare: (exchange: Exchange) => boolean,
  goesOn: (count: number) => boolean,
): number {
  let count = 0;
  for (; goesOn(count); count += 1) {
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
