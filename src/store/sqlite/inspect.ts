import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { DatabaseFacts } from "../inspection.ts";
import { StoreError } from "../store-error.ts";
import type { InspectorMessage } from "./inspect-process.ts";

// Node.js resolves what a process runs, so the build does not see it and cannot rename it.
const processFile = new URL(
  import.meta.url.endsWith(".ts") ? "./inspect-process.ts" : "./inspect-process.js",
  import.meta.url,
);

/** Most of what a process says in its own words, in characters. */
const complaintMax = 1_000;

/** What was found of a SQLite file. */
export interface SqliteInspection {
  readonly facts: DatabaseFacts;
  /** `"ok"`, what is damaged, or null when there was no time to find out. */
  readonly damage: string | null;
}

/**
 * Looks at a SQLite file, also while a server has it open, and makes nothing. The check for damage reads the whole
 * file; it is given up when the time is over.
 *
 * @throws {StoreError} when it cannot be read.
 */
export async function inspectSqlite(file: string, timeoutMs: number): Promise<SqliteInspection> {
  const child = fork(processFile, {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    return await listen(child, file);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

async function listen(child: ChildProcess, file: string): Promise<SqliteInspection> {
  let facts: DatabaseFacts | undefined;
  let damage: string | null = null;
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, complaintMax);
  });
  child.on("message", (message: InspectorMessage) => {
    if (message.kind === "facts") facts = message.facts;
    if (message.kind === "checked") damage = message.finding;
    if (message.kind === "failed") {
      if (facts === undefined) complaint = message.reason;
      else damage = message.reason;
    }
  });
  child.send(file);
  await once(child, "close");
  if (facts === undefined)
    throw new StoreError(complaint === "" ? "It does not answer" : complaint);
  return { facts, damage };
}
