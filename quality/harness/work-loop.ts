import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "./keep-alive-client.ts";
import type { Work, WorkRequest } from "./work.ts";

/** Sends one request on the connection of a loop, and counts what becomes of it. */
export type Send = (client: KeepAliveClient, request: WorkRequest) => Promise<void>;

/**
 * Time for which a connection is used again after a request, in milliseconds: the server closes one after 5 s, and a request that meets
 * that is nobody's fault.
 */
const keptMs = 3_500;

/** Sends the requests of works at their rates until it is over; a loop sends one at a time. Resolves when all have their responses. */
export async function runWorks<Kind extends Work>(
  works: readonly Kind[],
  site: { readonly url: string; readonly over: AbortSignal },
  openLoop: (work: Kind) => Send,
): Promise<void> {
  const loops = works.flatMap((work) =>
    Array.from({ length: work.loops }, (_, loop) => runLoop(work, loop, site, openLoop(work))),
  );
  await Promise.all(loops);
}

async function runLoop(
  work: Work,
  loop: number,
  { url, over }: { readonly url: string; readonly over: AbortSignal },
  send: Send,
): Promise<void> {
  const client = new KeepAliveClient(url);
  const next = work.open(loop);
  const everyMs = (work.loops * 1_000) / work.perSecond;
  let sentAtMs = performance.now();
  // Halfway between two kills rather than together with each.
  let dueMs = sentAtMs + (everyMs * (loop + 0.5)) / work.loops;
  while (await waitUntil(dueMs, over)) {
    const now = performance.now();
    // What was missed is not made up for: the load stays what it is.
    dueMs = Math.max(dueMs + everyMs, now);
    if (work.connects || now - sentAtMs > keptMs) client.close();
    await send(client, next());
    sentAtMs = performance.now();
  }
  client.close();
}

/** Resolves at a time of `performance.now()`; to false when it is over before. */
async function waitUntil(dueMs: number, over: AbortSignal): Promise<boolean> {
  try {
    await pause(Math.max(0, dueMs - performance.now()), undefined, { signal: over });
    return true;
  } catch {
    return false;
  }
}
