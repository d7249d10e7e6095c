import { setTimeout as pause } from "node:timers/promises";
import { type ClusterProcess, isListening, type LogLine } from "../cluster/cluster-process.ts";
import type { KillWatch } from "./kill-watch.ts";

/** What the kills came to. */
export interface KillRecord {
  /** From each kill to the line of the log that the next worker of the number is listening, in milliseconds. */
  readonly listeningMs: readonly number[];
  /** Lines of the log that nobody should have to read, the first ones; alarms of floods of log-ins are not among them. */
  readonly alarms: readonly string[];
}

/** Lines that are kept word for word. */
const alarmsMax = 20;

/**
 * Kills one worker after the other, each of them in turn, until it is over: the first after half the time between two. The writer of page
 * requests is the first process, which is never killed here.
 */
export async function keepKilling(
  cluster: ClusterProcess,
  kills: KillWatch,
  { killSeconds, over }: { readonly killSeconds: number; readonly over: AbortSignal },
): Promise<KillRecord> {
  const listeningMs: number[] = [];
  const alarms: string[] = [];
  let worker = 1;
  try {
    await pause(killSeconds * 500, undefined, { signal: over });
    for (;;) {
      const next = pause(killSeconds * 1_000, undefined, { signal: over });
      // Who ends it while the next worker is awaited is heard of at the next pause.
      next.catch(() => {});
      listeningMs.push(await killOnce(cluster, kills, worker));
      clearLog(cluster, alarms);
      worker = worker === 1 ? 2 : 1;
      await next;
    }
  } catch (cause) {
    if (!over.aborted) throw cause;
  }
  clearLog(cluster, alarms);
  return { listeningMs, alarms };
}

/** Resolves to the time until another worker of the number is listening, in milliseconds. */
async function killOnce(
  cluster: ClusterProcess,
  kills: KillWatch,
  worker: number,
): Promise<number> {
  const pid = cluster.pidOf(worker);
  const started = performance.now();
  kills.killed(started);
  process.kill(pid, "SIGKILL");
  await cluster.line((line) => isListening(line) && cluster.pidOf(worker) !== pid);
  return performance.now() - started;
}

/** The log of an hour is not kept: only who is listening, and what is alarming. */
function clearLog({ log }: ClusterProcess, alarms: string[]): void {
  const lines = log as LogLine[];
  for (const line of lines) {
    if (isAlarm(line) && alarms.length < alarmsMax) alarms.push(JSON.stringify(line));
  }
  const kept = lines.filter(isListening).slice(-4);
  lines.splice(0, lines.length, ...kept);
}

function isAlarm({ level, msg, event }: LogLine): boolean {
  if (level === "debug" || level === "info" || msg === "a worker died") return false;
  if (msg?.startsWith("a new database was created")) return false;
  return event !== "account-blocked" && event !== "network-blocked";
}
