import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { localUrlOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { clockDifferenceMaxMs } from "../../../store/node.ts";
import { formatInstant } from "../../io/options.ts";
import { formatCount } from "../../io/printable.ts";
import { get, isServerAt } from "../../server-probe.ts";
import { type Checks, ok, problem, type Result, runChecks, warning } from "./finding.ts";

/** Files that are open beside connections: the database, its threads, the log. */
const otherFiles = 64;

/** This program did not exist before 2026-01-01; UTC, milliseconds. */
const earliestMs = Date.UTC(2026, 0, 1);
/** Ends of sessions are stored as text up to the year 9999; long before that the clock is wrong. */
const latestMs = Date.UTC(2100, 0, 1);
/** Largest difference between the clock and what retention has recorded, in milliseconds (decision 0046). */
const retentionMaxMs = 86_400_000;
const syncClock = "switch time synchronisation on: timedatectl set-ntp true";

/** A clock and what the database knows of the time. */
interface Clock {
  readonly nowMs: number;
  /** null where the database could not be read, or the clock is too wrong to be compared. */
  readonly facts: DatabaseFacts | null;
}

/**
 * Checks the clock of this machine, which decides when log-ins end and when page requests are deleted.
 *
 * @param facts of the database; null where it could not be read.
 */
export function checkClock(nowMs: number, facts: DatabaseFacts | null) {
  return runChecks(clockChecks, { nowMs, facts: isPossible(nowMs) ? facts : null });
}

function isPossible(nowMs: number): boolean {
  return nowMs >= earliestMs && nowMs <= latestMs;
}

const clockChecks: Checks<Clock> = {
  "clock-set": ({ nowMs }) =>
    isPossible(nowMs)
      ? ok(`The clock shows ${formatInstant(nowMs)}.`)
      : problem(`The clock shows ${formatInstant(nowMs)}, which is impossible.`, syncClock),

  "clock-agrees": ({ facts }) => {
    const aheadMs = facts?.clockAheadMs ?? null;
    if (aheadMs === null) return null;
    const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} seconds`;
    if (Math.abs(aheadMs) <= clockDifferenceMaxMs) {
      return ok(`The clock of the database server agrees within ${seconds}.`);
    }
    const text = `The clock of the database server is ${seconds} ${aheadMs > 0 ? "ahead" : "behind"}.`;
    return warning(text, `${syncClock}, on both machines`);
  },

  "clock-forward": ({ nowMs, facts }) => {
    const newestMs = facts?.newestPageRequestMs ?? null;
    if (newestMs === null || newestMs <= nowMs + clockDifferenceMaxMs) return null;
    const text = `The newest page request is from ${formatInstant(newestMs)}, which is in the future: this clock was set back, or the clock of another node is ahead.`;
    return warning(text, syncClock);
  },

  "retention-clock": ({ nowMs, facts }) => {
    const asOfMs = facts?.retentionAsOfMs ?? null;
    if (asOfMs === null) return null;
    // Retention goes by the clock of the database server, where there is one.
    const aheadMs = nowMs + (facts?.clockAheadMs ?? 0) - asOfMs;
    if (Math.abs(aheadMs) <= retentionMaxMs) return null;
    const days = `${(Math.abs(aheadMs) / retentionMaxMs).toFixed(1)} days`;
    return warning(
      `Old page requests were last deleted as of ${formatInstant(asOfMs)}: the clock is ${days} ${aheadMs > 0 ? "ahead" : "behind"} of that.`,
      `if the server was off that long, nothing: deletion catches up; otherwise ${syncClock}`,
    );
  },
};

/** Checks of the runtime and its limits. */
export const machineChecks: Checks<Config> = {
  "node-version": () => ok(`Node.js ${process.versions.node} is supported.`),

  "open-files": async (config) => {
    const files = await openFilesMax();
    if (files === null) return null;
    const shown = formatCount(files);
    const wanted = config.connectionsMax + otherFiles;
    if (files >= wanted) return ok(`A process can open ${shown} files.`);
    return warning(
      `A process can open only ${shown} files, but WFH_CONNECTIONS_MAX is ${config.connectionsMax}: connections would fail before that limit.`,
      `ulimit -n ${wanted}, in systemd LimitNOFILE=${wanted}; or lower WFH_CONNECTIONS_MAX`,
    );
  },
};

/** Node.js raises its limit to the hard one. null where the system does not say. */
async function openFilesMax(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(limits) ?? [];
  return hard === undefined ? null : Number(hard);
}

const portFixes: Readonly<Record<string, string>> = {
  EACCES:
    "set WFH_PORT to a port above 1023; or in systemd AmbientCapabilities=CAP_NET_BIND_SERVICE",
  EADDRNOTAVAIL: "set WFH_HOST to an address of this machine",
  ENOTFOUND: "set WFH_HOST to an address of this machine",
};

/** Checks whether the server could listen, or already does. */
export const portChecks: Checks<Config> = { port: checkListening };

async function checkListening({ host, port }: Config): Promise<Result> {
  if (port === 0) return ok("WFH_PORT=0: the server picks a free port and prints it.");
  const code = await listenOnce(host, port);
  if (code === null) return ok(`Port ${port} of ${host} is free.`);
  if (code === "EADDRINUSE") return checkServer(host, port);
  const text = `The server cannot listen on port ${port} of ${host}: ${code}.`;
  return problem(text, portFixes[code] ?? "correct WFH_HOST and WFH_PORT");
}

/** The system's code for why listening failed; null when it worked. */
async function listenOnce(host: string, port: number): Promise<string | null> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return null;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? "unknown";
  }
}

async function checkServer(host: string, port: number): Promise<Result> {
  const url = localUrlOf(host, port);
  if (!(await isServerAt(url))) {
    return problem(`Another program uses port ${port} of ${host}.`, "stop it, or set WFH_PORT");
  }
  const ready = await get(`${url}/readyz`);
  if (ready?.status === 200) return ok(`A server responds at ${url} and is ready.`);
  return problem(
    `A server responds at ${url}, but is not ready: it cannot store page requests, or is shutting down.`,
    "read its log, and the findings about the database",
  );
}
