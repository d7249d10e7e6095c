import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseFacts } from "../inspection.ts";
import { askSchema } from "../inspection.ts";
import { addressToRead, refuseVersion } from "./database-file.ts";

// This file is a process of its own that looks at one SQLite file. SQLite cannot be interrupted from
// JavaScript; a process that takes too long can be ended.

/** What the process says, in this order: the facts, then what the check of the file found. */
export type InspectorMessage =
  | { readonly kind: "facts"; readonly facts: DatabaseFacts }
  /** `finding` is `"ok"` for a file without damage. */
  | { readonly kind: "checked"; readonly finding: string }
  | { readonly kind: "failed"; readonly reason: string };

process.once("message", async (file: string) => {
  for await (const message of inspect(file)) process.send?.(message);
  process.disconnect();
});

async function* inspect(file: string): AsyncGenerator<InspectorMessage> {
  try {
    const database = open(file);
    refuseVersion(database);
    yield { kind: "facts", facts: await factsOf(database, journalModeOf(file)) };
    const finding = quickCheck(database);
    database.close();
    // A server that began to write meanwhile is no damage.
    const isTorn = finding !== "ok" && existsSync(`${file}-wal`);
    yield { kind: "checked", finding: isTorn ? quickCheck(open(file)) : finding };
  } catch (cause) {
    yield { kind: "failed", reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

function open(file: string): DatabaseSync {
  return new DatabaseSync(addressToRead(file), { readOnly: true, timeout: 2_000 });
}

async function factsOf(database: DatabaseSync, journalMode: string): Promise<DatabaseFacts> {
  const ask = async (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  };
  const hasTable = async (name: string) =>
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
  const answers = await askSchema(hasTable, ask);
  const [row] = await ask("SELECT sqlite_version() AS version");
  return { ...answers, version: String(row?.["version"]), clockAheadMs: null, journalMode };
}

/** As the head of the file has it: a handle that reads it as it stands knows of no log. */
function journalModeOf(file: string): string {
  const head = Buffer.alloc(20);
  const handle = openSync(file, "r");
  readSync(handle, head, 0, head.length, 0);
  closeSync(handle);
  return head[18] === 2 ? "wal" : "delete";
}

function quickCheck(database: DatabaseSync): string {
  return String(Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0]);
}
