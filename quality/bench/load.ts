import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { type Times, timesOf } from "./results.ts";
import { workOf } from "./workload.ts";

/** Measurements of one round of load. */
export interface Round extends Times {
  /** All responses and the time that they took, with those from before anything was timed. */
  readonly responses: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Processor time of the load itself. */
  readonly cpuSeconds: number;
}

/**
 * Loads a server from its own process, which can have its own core:
 * `node load.ts URL WORK MS [CONNECTIONS [SETTLE_MS [PER_SECOND]]]`. Prints one JSON round. Each
 * kept connection sends one request after the other, as soon as it can or at the rate PER_SECOND;
 * then a delayed request is timed from when it was due. Nothing is timed before SETTLE_MS.
 */
const [url = "", name = "soap11", ...numbers] = process.argv.slice(2);
const [forMs = 1_000, connections = 32, settleMs = 0, perSecond = 0] = numbers.map(Number);
const work = workOf(name);
const everyMs = perSecond === 0 ? 0 : 1_000 / perSecond;
const times: number[] = [];
let responses = 0;
const begun = performance.now();
const cpuBegun = process.cpuUsage();
const started = begun + settleMs;
const until = started + forMs;

async function loop(index: number): Promise<void> {
  const connection = new KeepAliveClient(url);
  const first = index * 31;
  // With a rate, the connections take turns.
  const turnMs = (index / connections) * everyMs;
  for (let i = 0; performance.now() < until; i += 1) {
    const lateMs = everyMs === 0 ? 0 : performance.now() - (begun + turnMs + i * everyMs);
    if (lateMs < 0) await pause(-lateMs);
    const { request, holds } = work[(first + i) % work.length] ?? missing();
    const { status, body, ms } = await connection.call(request);
    if (status !== 200 || !body.includes(holds)) throw new Error(`${status} ${body}`);
    responses += 1;
    if (performance.now() >= started) times.push(Math.max(0, lateMs) + ms);
  }
  connection.close();
}

function missing(): never {
  throw new Error(`There is no work of the name ${name}`);
}

await Promise.all(Array.from({ length: connections }, (_, i) => loop(i)));
const seconds = (performance.now() - started) / 1_000;
const cpu = process.cpuUsage(cpuBegun);
const round: Round = {
  responses,
  seconds: seconds + settleMs / 1_000,
  requestsPerSecond: times.length / seconds,
  ...timesOf(times),
  cpuSeconds: (cpu.user + cpu.system) / 1_000_000,
};
console.log(JSON.stringify(round));
