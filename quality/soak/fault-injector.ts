import { setTimeout as pause } from "node:timers/promises";
import {
  endServerProcess,
  type LogLine,
  type ServerProcess,
} from "@wfh/cli/test/server-process.ts";
import type { KillWatch } from "../harness/kill-watch.ts";

/** Record of the kills. */
export interface KillRecord {
  /** From each kill to the line of the log that the next server is listening, in milliseconds. */
  readonly listeningMs: readonly number[];
  /** First log lines that should not occur, other than alarms of log-in floods. */
  readonly alarms: readonly string[];
}

/** Lines that are kept word for word. */
const alarmsMax = 20;

/**
 * Runs a second server beside the one that is kept; kills and restarts it until the end, first
 * after half an interval.
 */
export async function keepKilling(
  kept: ServerProcess,
  start: () => Promise<ServerProcess>,
  kills: KillWatch,
  { killSeconds, over }: { readonly killSeconds: number; readonly over: AbortSignal },
): Promise<KillRecord> {
  const listeningMs: number[] = [];
  const alarms: string[] = [];
  let killed = await start();
  try {
    await pause(killSeconds * 500, undefined, { signal: over });
    for (;;) {
      const next = pause(killSeconds * 1_000, undefined, { signal: over });
      // Its end while the next server is awaited is handled at the next pause.
      next.catch(() => {});
      const started = performance.now();
      kills.killed(started);
      killed.signal("SIGKILL");
      takeAlarms(killed, alarms);
      killed = await start();
      listeningMs.push(performance.now() - started);
      takeAlarms(kept, alarms);
      await next;
    }
  } catch (cause) {
    if (!over.aborted) throw cause;
  }
  await endServerProcess(killed);
  for (const server of [kept, killed]) takeAlarms(server, alarms);
  return { listeningMs, alarms };
}

/** The log of an hour is not kept: only what is alarming. */
function takeAlarms({ log }: ServerProcess, alarms: string[]): void {
  const lines = log as LogLine[];
  for (const line of lines.splice(0)) {
    if (isAlarm(line) && alarms.length < alarmsMax) alarms.push(JSON.stringify(line));
  }
}

function isAlarm({ level, msg, event }: LogLine): boolean {
  if (level === "debug" || level === "info") return false;
  if (msg?.startsWith("a new database was created")) return false;
  return event !== "account-blocked" && event !== "network-blocked";
}
