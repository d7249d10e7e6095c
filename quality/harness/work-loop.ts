import { setTimeout as pause } from "node:timers/promises";
import { readReceived } from "../../test/server/log-in-calls.ts";
import { KeepAliveClient } from "./keep-alive-client.ts";
import type { KillWatch } from "./kill-watch.ts";
import type { Tally } from "./tally.ts";
import type { SoakRequest, SoakWork } from "./work.ts";

/** What all lanes share. */
export interface LoopSite {
  readonly url: string;
  readonly tally: Tally;
  readonly kills: KillWatch;
  /** Ends the load; what has been sent is still answered. */
  readonly over: AbortSignal;
}

/**
 * Time for which a connection is used again after an answer, in milliseconds: the server closes one after 5 s, and a request that meets
 * that is nobody's fault.
 */
const keptMs = 3_500;

/** What is known of the connection of a lane. */
interface Known {
  /** Who answered last on it. */
  process: string | undefined;
  aliveAtMs: number;
}

/** Sends requests of one kind at their rate, one at a time, until it is over. */
export async function runLoop(work: SoakWork, loop: number, site: LoopSite): Promise<void> {
  const client = new KeepAliveClient(site.url);
  const known: Known = { process: undefined, aliveAtMs: performance.now() };
  const next = work.open(loop);
  const everyMs = (work.loops * 1_000) / work.perSecond;
  // Halfway between two kills rather than together with each.
  let dueMs = performance.now() + (everyMs * (loop + 0.5)) / work.loops;
  while (await waitUntil(dueMs, site.over)) {
    const now = performance.now();
    // What was missed is not made up for: the load stays what it is.
    dueMs = Math.max(dueMs + everyMs, now);
    if (work.connects || now - known.aliveAtMs > keptMs) forget(client, known);
    await askOnce(next(), { client, known, work, site });
  }
  client.close();
}

/** Resolves at a time of `performance.now()`; to false when it is over before. */
export async function waitUntil(dueMs: number, over: AbortSignal): Promise<boolean> {
  try {
    await pause(Math.max(0, dueMs - performance.now()), undefined, { signal: over });
    return true;
  } catch {
    return false;
  }
}

function forget(client: KeepAliveClient, known: Known): void {
  client.close();
  known.process = undefined;
  known.aliveAtMs = performance.now();
}

interface Asking {
  readonly client: KeepAliveClient;
  readonly known: Known;
  readonly work: SoakWork;
  readonly site: LoopSite;
}

/** The connection ended before the answer was there. */
class BrokenError extends Error {}

async function askOnce(request: SoakRequest, asking: Asking): Promise<void> {
  const { client, known, work, site } = asking;
  const own = request.isFramed ? known : { process: undefined, aliveAtMs: performance.now() };
  try {
    const ms = await ask(request, own, asking);
    site.tally.of(work.kind).responded(ms);
  } catch (cause) {
    const isBroken = cause instanceof BrokenError;
    if (isBroken && site.kills.explains(own.aliveAtMs, own.process)) {
      site.tally.of(work.kind).cutOff += 1;
    } else {
      site.tally.wrong(work.kind, cause, request.bytes);
    }
    forget(client, known);
  }
}

/** Resolves to the time until the first byte of the answer, in milliseconds. */
async function ask(request: SoakRequest, own: Known, { client, site }: Asking): Promise<number> {
  const { bytes, isFramed } = request;
  const { responses, ms } = await (isFramed ? client.ask(bytes) : client.throwAt(bytes)).catch(
    (cause) => {
      // The system says by a code that there is no connection; without one, the answer took too long.
      throw cause instanceof Error && "code" in cause ? new BrokenError(cause.message) : cause;
    },
  );
  if (isFramed && responses.length !== 1) throw new BrokenError("Closed without an answer");
  for (const text of responses) {
    const response = readReceived(text);
    const [length] = response.valuesOf("content-length");
    if (isFramed && Buffer.byteLength(response.body) < Number(length ?? 0)) {
      throw new BrokenError("Closed within an answer");
    }
    const [id] = response.valuesOf("x-request-id");
    own.process = id?.split("-")[0];
    own.aliveAtMs = performance.now();
    if (own.process !== undefined) site.kills.heard(own.process, own.aliveAtMs);
    if (response.valuesOf("connection").includes("close")) own.process = undefined;
    request.check(response);
  }
  return ms;
}
