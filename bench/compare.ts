import { readFileSync } from "node:fs";
import { compareExchange } from "../src/migration/compare/compare.ts";
import { RuleBook } from "../src/migration/compare/rules.ts";
import { bytesOf, type Exchange, parseExchange } from "../src/migration/exchange.ts";
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

function responsesOf({ response }: Exchange) {
  const body = bytesOf(response?.body ?? { text: "" }) ?? Buffer.alloc(0);
  const { status = 0, headers = [] } = response ?? {};
  const old = { status, headers, body };
  return [old, { ...old, body: Buffer.from(body) }] as const;
}

function compareByMeaning(exchange: Exchange, rules: RuleBook): boolean {
  const { request, operation, binding } = exchange;
  const [old, same] = responsesOf(exchange);
  const text = same.body.toString().replace(/(State_id\W+)33\b/g, "$1923");
  const ours = { ...same, body: Buffer.from(text) };
  const body = bytesOf(request.body) ?? Buffer.alloc(0);
  const { result } = compareExchange({ ...request, body, operation, binding }, old, ours, rules);
  return result !== "different";
}

function compareBytes(exchange: Exchange): boolean {
  const [old, ours] = responsesOf(exchange);
  return old.status === ours.status && old.body.equals(ours.body);
}
