import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { startOn, startServer } from "../harness/measured-program.ts";
import { callWhile } from "./paced-calls.ts";
import { type BenchResult, timesOf } from "./results.ts";
import { workOf } from "./workload.ts";

const idleMs = 60 * 60_000;
/** Servers of each kind: each has one first response. */
const serversOfKind = 3;
/** Time under load before the servers are left alone, and of the caller before it times them. */
const warmUpMs = 2_000;

const startBare = () =>
  startOn("any", ["quality/bench/reference-server.ts", "text/xml; charset=utf-8", "300"]);

/** Servers, and the kinds of calls that each gets after its hour: the first wakes the server. */
const kinds = [
  { name: "bare node:http", start: startBare, works: { "look-ups": "http-get" } },
  {
    name: "web-forms-helper",
    start: () => startServer("any"),
    works: { "look-ups": "look-ups-checked", "page requests": "page-requests-json" },
  },
] as const;

/**
 * Starts servers, which stay without a call until the parent of this process sends a message, an
 * hour at least, or no longer when it is quick. Then each is called twice with each kind of call.
 */
export async function benchIdleHour(quick: boolean): Promise<BenchResult> {
  const ended = once(process, "message");
  const servers = [];
  for (let i = 0; i < serversOfKind; i += 1) {
    for (const { name, start, works } of kinds) {
      const server = await start();
      for (const work of Object.values(works)) await callWhile(server.url, work, pause(warmUpMs));
      servers.push({ name, works, server });
    }
  }
  const idleFrom = Date.now();
  process.send?.("ready");
  await ended;
  if (!quick) await pause(Math.max(0, idleFrom + idleMs - Date.now()));
  // The caller's own compilers must not be timed.
  const other = await startBare();
  await callWhile(other.url, "http-get", pause(warmUpMs));
  other.stop();
  const times = new Map<string, number[]>();
  const minutes = Math.floor((Date.now() - idleFrom) / 60_000);
  for (const { name, works, server } of servers) {
    for (const [callsOf, work] of Object.entries(works)) {
      for (const which of [`first after ${minutes} minutes`, "second"]) {
        const what = `${name}, ${callsOf}, ${which}`;
        times.set(what, [...(times.get(what) ?? []), await callOnce(server.url, work)]);
      }
    }
  }
  for (const { server } of servers) server.stop();
  const notes = [`The median and the longest of ${serversOfKind} servers.`];
  const rows = [...times].map(([what, own]) => ({ what, ...timesOf(own), p99Ms: Number.NaN }));
  return { rows, notes };
}

/** Calls a server on a new connection; resolves to the milliseconds with those to connect. */
async function callOnce(url: string, workName: string): Promise<number> {
  const [call] = workOf(workName);
  if (call === undefined) throw new Error(`There is no work of the name ${workName}`);
  const connection = new KeepAliveClient(url);
  const beganMs = performance.now();
  const { status, body } = await connection.call(call.request);
  const ms = performance.now() - beganMs;
  connection.close();
  if (status !== 200 || !body.includes(call.holds)) throw new Error(`${status} ${body}`);
  return ms;
}
