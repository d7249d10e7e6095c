import { resolve } from "node:path";
import { OverridesFullError } from "../../domain/location/override.ts";
import { AdministrationError } from "../../domain/log-in/accounts/administration.ts";
import type { OpenDatabase } from "../api.ts";
import type { BatchWriter } from "../page-requests/batch-writer.ts";
import type { DiskSpace } from "../page-requests/disk-reserve.ts";
import { StoreError } from "../store-error.ts";
import { lockAsServer, type ServerLock } from "./server-lock.ts";
import { SqliteThread } from "./thread.ts";

const errors = [StoreError, AdministrationError, OverridesFullError];

/**
 * What is read beside the thread that writes, so that it never waits for a sync. Not what a server reads in the background: without
 * log-ins it does without the second thread, which takes 10 MB.
 */
const reads: ReadonlySet<string> = new Set([
  "logIn.listForms",
  "logIn.listHashForms",
  "logIn.findSession",
  "administration.findAccount",
  "administration.listAccounts",
  "administration.listSessions",
  "administration.listEvents",
  "administration.listForms",
  "administration.findInstance",
  "administration.listHashForms",
  "administration.countHashes",
  "administration.listHashes",
  "overrides.find",
  "pageRequests.stats",
  "pageRequests.listPage",
]);

/**
 * Opens a SQLite file, which is built into Node.js. One thread writes, another reads: both wait for the disk, and
 * the thread that serves does not.
 */
export function openSqlite(url: string, access: "write" | "read"): OpenDatabase {
  const file = fileOf(url);
  const reader = new SqliteThread({ file, mode: "read", errors });
  // Where waiting does not help the thread throws a StoreError.
  const isPassing = () => true;
  if (access === "read") {
    return { call: reader.call, writers: [], isPassing, close: () => reader.close() };
  }
  const writer = new SqliteThread({ file, mode: "write", errors });
  let lock: ServerLock | undefined;
  return {
    call: (method, args) => (reads.has(method) ? reader : writer).call(method, args),
    writers: [createWriter(writer)],
    isPassing,
    lockAsServer: () => {
      lock = lockAsServer(file);
      return lock.isOurs;
    },
    close: async () => {
      await reader.close();
      await writer.close();
      lock?.release();
    },
  };
}

/** Writes batches of page requests on the thread of a file, one message each way. */
export function createWriter(thread: SqliteThread): BatchWriter {
  return {
    open: async (lost) => {
      thread.onLost(lost);
      await thread.call("thread.prove", []);
      thread.limitTime();
    },
    write: async (rows) => {
      await thread.call("thread.write", [rows]);
    },
    // It is what `SqliteDatabase.check` returns.
    check: () => thread.call("thread.check", []) as Promise<DiskSpace>,
    // The thread is log-ins' too, and closed with the database.
    close: async () => {},
  };
}

/** The path behind `sqlite:`, relative to the working directory. */
function fileOf(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path === "" || path.startsWith(":memory:")) {
    throw new StoreError(
      "A database in memory would lose page requests that were acknowledged: name a file, for example sqlite:./web-forms-helper.db",
    );
  }
  return resolve(path);
}
