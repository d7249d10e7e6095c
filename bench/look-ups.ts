import { type BindingName, bindings } from "../src/contract/bindings.ts";
import type { Round } from "./load.ts";
import { type Measured, runOn, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { lookUps } from "./workload.ts";

/** How long and how often each server is loaded. */
export interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
}

interface Sample extends Round {
  readonly perCpuSecond: number;
}

interface Contender {
  readonly name: string;
  readonly server: Measured;
  readonly samples: Sample[];
}

const serverCore = 0;
const loadCore = 1;
/** Time for the compilers of both processes to settle before the first round, in milliseconds. */
const warmUpMs = 3_000;

/**
 * The running server over loopback beside a bare node:http server that answers as many bytes, in
 * interleaved rounds, for each binding. Every answer is checked before anything is timed.
 */
export async function benchLookUps(plan: Plan): Promise<string> {
  const rows: string[][] = [];
  for (const binding of Object.keys(bindings) as BindingName[]) {
    const ours = await startOn(serverCore, startWords, { WFH_PORT: "0" });
    const bodyBytes = await checkAnswers(ours.url, binding);
    const { answerContentType } = bindings[binding];
    const bareWords = ["bench/bare-server.ts", answerContentType, String(bodyBytes)];
    const bare = await startOn(serverCore, bareWords);
    const contenders: Contender[] = [
      { name: "bare node:http", server: bare, samples: [] },
      { name: "web-forms-helper", server: ours, samples: [] },
    ];
    for (const { server } of contenders) await load(server, binding, warmUpMs);
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const { server, samples } of contenders) {
        samples.push(await load(server, binding, plan.roundMs));
      }
      process.stderr.write(`\r${binding}: round ${round + 1} of ${plan.rounds}   `);
    }
    for (const contender of contenders) rows.push(rowOf(binding, contender, contenders[0]));
    for (const { server } of contenders) server.stop();
  }
  process.stderr.write("\n");
  const heading = [
    "binding",
    "server",
    "req/s",
    "min–max",
    "ratio",
    "req/cpu-s",
    "ratio",
    "p50 ms",
    "p99 ms",
    "peak MB",
  ];
  return renderMarkdown([heading, ...rows]);
}

async function load(server: Measured, binding: BindingName, forMs: number): Promise<Sample> {
  const before = server.cpuSeconds();
  const started = performance.now();
  const printed = await runOn(loadCore, ["bench/load.ts", server.url, binding, String(forMs)]);
  const round = JSON.parse(printed) as Round;
  const cpu = server.cpuSeconds() - before;
  const answers = (round.requestsPerSecond * Math.min(forMs, performance.now() - started)) / 1_000;
  return { ...round, perCpuSecond: answers / cpu };
}

/** Asks for every look-up of the workload once; returns the bytes of a usual answer. */
async function checkAnswers(url: string, binding: BindingName): Promise<number> {
  const lengths: number[] = [];
  for (const { postalCode, request, expected } of lookUps(binding)) {
    const text = request.toString();
    const [head = "", body] = text.split("\r\n\r\n");
    const [line = "", ...fields] = head.split("\r\n");
    const [method = "", path = ""] = line.split(" ");
    const headers = fields
      .map((field): [string, string] => [field.split(": ")[0] ?? "", field.split(": ")[1] ?? ""])
      .filter(([name]) => !/^(?:Host|Connection|Content-Length)$/.test(name));
    const answer = await fetch(
      url + path,
      method === "GET" ? { headers } : { method, headers, body: body ?? "" },
    );
    const answered = await answer.text();
    if (!answered.includes(expected)) throw new Error(`${binding} ${postalCode}: not ${expected}`);
    lengths.push(Buffer.byteLength(answered));
  }
  return Math.round(median(lengths));
}

function rowOf(binding: string, { name, server, samples }: Contender, limit?: Contender): string[] {
  const rates = samples.map(({ requestsPerSecond }) => requestsPerSecond);
  const cpu = samples.map(({ perCpuSecond }) => perCpuSecond);
  const ratio = (own: readonly number[], of: (sample: Sample) => number) =>
    median(own.map((value, i) => value / of(limit?.samples[i] ?? (samples[i] as Sample)))).toFixed(
      2,
    );
  return [
    binding,
    name,
    median(rates).toFixed(0),
    `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
    ratio(rates, ({ requestsPerSecond }) => requestsPerSecond),
    median(cpu).toFixed(0),
    ratio(cpu, ({ perCpuSecond }) => perCpuSecond),
    median(samples.map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(samples.map(({ p99Ms }) => p99Ms)).toFixed(2),
    server.peakMb().toFixed(0),
  ];
}
