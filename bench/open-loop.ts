import { setTimeout as pause } from "node:timers/promises";
import { Connection } from "./connection.ts";
import { lookUps } from "./workload.ts";

/** What look-ups at a fixed rate measured, in milliseconds. */
export interface OpenRound {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

/**
 * Look-ups over HTTP GET at a fixed rate on one connection, however long the responses take:
 * `node open-loop.ts URL PER_SECOND MS`. One that had to wait for the response before it is timed from when it was due.
 */
const [url = "", perSecond = "100", forMs = "1000"] = process.argv.slice(2);
const work = lookUps("http-get");
const connection = new Connection(url);
const everyMs = 1_000 / Number(perSecond);
const count = Math.round(Number(forMs) / everyMs);
const times: number[] = [];

await connection.call(work[0]?.request ?? Buffer.alloc(0));
const started = performance.now();
for (let i = 0; i < count; i += 1) {
  const dueMs = started + i * everyMs;
  const lateMs = performance.now() - dueMs;
  if (lateMs < 0) await pause(-lateMs);
  const waitedMs = Math.max(0, lateMs);
  const { request, expected } = work[i % work.length] ?? missing();
  const { body, ms } = await connection.call(request);
  if (!body.includes(expected)) throw new Error(body);
  times.push(waitedMs + ms);
}
connection.close();
times.sort((a, b) => a - b);
const round: OpenRound = {
  p50Ms: times[Math.floor(count * 0.5)] ?? 0,
  p99Ms: times[Math.floor(count * 0.99)] ?? 0,
  slowestMs: times.at(-1) ?? 0,
};
console.log(JSON.stringify(round));

function missing(): never {
  throw new Error("There are no look-ups");
}
