import { connect } from "node:net";
import { type Work, workOf } from "./workload.ts";

/** What one round of load measured. */
export interface Round {
  /** All responses and the time that they took, with those from before anything was timed. */
  readonly responses: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Requests in flight where nothing else is asked for, each on a connection of its own that is kept. */
const usualConnections = 32;

/**
 * A closed loop over raw sockets, as cheap as a client can be: `node load.ts URL WORK MS [CONNECTIONS [SETTLE_MS]]`.
 * Prints one JSON round. It runs as a process of its own, so that it can have a core of its own.
 */
export async function runLoad(
  url: string,
  work: readonly Work[],
  { forMs, connections, settleMs }: Shape,
): Promise<Round> {
  const times: number[] = [];
  const started = performance.now() + settleMs;
  const until = started + forMs;
  let responses = 0;
  const tally = (ms: number) => {
    responses += 1;
    if (performance.now() >= started) times.push(ms);
  };
  const loops = Array.from({ length: connections }, (_, i) =>
    loop(url, work, { first: i * 31, until, tally }),
  );
  await Promise.all(loops);
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return {
    responses,
    seconds: seconds + settleMs / 1_000,
    requestsPerSecond: times.length / seconds,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

interface Shape {
  readonly forMs: number;
  readonly connections: number;
  /** Time under load before anything is timed, in milliseconds. */
  readonly settleMs: number;
}

interface Loop {
  readonly first: number;
  readonly until: number;
  readonly tally: (ms: number) => void;
}

function loop(url: string, work: readonly Work[], { first, until, tally }: Loop): Promise<void> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    let next = first;
    let sent = 0;
    let received = 0;
    let expected = -1;
    let closing = false;
    const { keep, check } = checkFor(work[0]?.holds);
    let seen = "";
    const open = () => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true });
      const send = () => {
        if (performance.now() >= until) {
          socket.destroy();
          resolve();
          return;
        }
        received = 0;
        expected = -1;
        seen = "";
        sent = performance.now();
        socket.write(work[next % work.length]?.request ?? "");
        next += 1;
      };
      socket.on("connect", send);
      socket.on("data", (chunk: Buffer) => {
        if (expected < 0) ({ expected, closing } = readStart(chunk));
        received += chunk.length;
        seen = keep(seen, chunk);
        if (received < expected) return;
        check(seen);
        tally(performance.now() - sent);
        if (closing) {
          // A server closes a connection after so many requests, so that load spreads again.
          socket.destroy();
          open();
        } else {
          send();
        }
      });
      socket.on("error", reject);
    };
    open();
  });
}

/** How responses are checked that have to hold a text; without a text nothing is kept of them. */
function checkFor(holds: string | undefined) {
  if (holds === undefined) return { keep: () => "", check: () => {} };
  return {
    keep: (seen: string, chunk: Buffer) => seen + chunk.toString("latin1"),
    check: (seen: string) => {
      if (!seen.includes(holds)) throw new Error(seen);
    },
  };
}

/** Reads the head of a response, which always arrives in one piece here. */
function readStart(chunk: Buffer): { expected: number; closing: boolean } {
  const end = chunk.indexOf("\r\n\r\n");
  const head = chunk.toString("latin1", 0, end);
  if (!head.startsWith("HTTP/1.1 200 ")) throw new Error(head.slice(0, 60));
  const at = head.indexOf("Content-Length: ");
  if (at < 0) throw new Error(`A response without its length: ${head}`);
  return {
    expected: end + 4 + Number.parseInt(head.slice(at + 16), 10),
    closing: head.includes("Connection: close"),
  };
}

if (import.meta.main) {
  const [url = "", work = "soap11", forMs = "1000", connections, settleMs] = process.argv.slice(2);
  const shape = {
    forMs: Number(forMs),
    connections: Number(connections ?? usualConnections),
    settleMs: Number(settleMs ?? 0),
  };
  console.log(JSON.stringify(await runLoad(url, workOf(work), shape)));
}
