import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../lib/file-error.ts";
import { type DatabaseFacts, readSchemaFacts } from "../inspection.ts";
import { addressToRead, openSqliteFile, openToRead } from "./database-file.ts";

// This file is a process of its own that copies, checks and inspects SQLite files. SQLite cannot be
// interrupted from JavaScript; a process can be ended at any time.

/** Content of a database. */
export interface DatabaseContent {
  /** Migrations that were applied. */
  readonly schemaVersion: number;
  /** Rows of each table, by its name. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Accounts by their names. */
export interface NamedAccounts {
  readonly count: number;
  /** The first ones. */
  readonly names: readonly string[];
}

/** Changes of accounts when an older database takes the place of the current one. */
export interface AccountReverts {
  /** They are disabled now, and were enabled. */
  readonly enabled: NamedAccounts;
  /** They have another password now. */
  readonly passwords: NamedAccounts;
  /** They were not there yet. */
  readonly gone: NamedAccounts;
  /** They are not there any more. */
  readonly back: NamedAccounts;
}

/** Most names of each kind. */
const namesMax = 20;

/** Tasks, each of which reports what it finds, one value after the other. */
const tasks = { copy, check, compare, inspect };

/** Tasks of the process. */
export type FileTasks = typeof tasks;

/** Message of the process: a value of a task, or why it failed. */
export type FileReport = { readonly value: unknown } | { readonly reason: string };

process.once("message", async ([task, args]: [task: keyof FileTasks, args: readonly never[]]) => {
  const send = (report: FileReport) => process.send?.(report);
  try {
    const found: AsyncIterable<unknown> | Iterable<unknown> = Reflect.apply(
      tasks[task],
      null,
      args,
    );
    for await (const value of found) send({ value });
  } catch (cause) {
    send({ reason: messageOf(cause) });
  }
  process.disconnect();
});

/** Copies a file at one moment, in a read transaction, into a new one, while others write it. */
function* copy(source: string, target: string): Generator<"copied"> {
  // The last to close a handle that may write tidies the write-ahead log up; a reader would not.
  const database = openSqliteFile(source, "write");
  try {
    // SQLite fills an empty file, and would let others read one that it makes itself.
    closeSync(openSync(target, "wx", 0o600));
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
  yield "copied";
}

/** Reads a file that no other program has open from end to end. */
function* check(file: string): Generator<DatabaseContent> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const value = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    const finding = value("PRAGMA integrity_check(1)");
    if (finding !== "ok") throw new Error(`it is damaged: ${String(finding)}`);
    const names = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all()
      .map(({ name }) => String(name));
    if (!names.includes("schema_migrations"))
      throw new Error("it is not a database of this program");
    yield {
      schemaVersion: Number(value("SELECT max(version) FROM schema_migrations")),
      rows: Object.fromEntries(
        names.map((name) => [
          name,
          Number(value(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)),
        ]),
      ),
    };
  } finally {
    database.close();
  }
}

/** Compares a database's accounts with its replacement's, which no other program has open. */
function* compare(current: string, restored: string): Generator<AccountReverts> {
  const database = new DatabaseSync(addressToRead(restored), { readOnly: true });
  try {
    database.prepare("ATTACH ? AS current").run(addressToRead(current).href);
    const find = (from: string): NamedAccounts => {
      const count = database.prepare(`SELECT count(*) AS count FROM ${from}`).get()?.["count"];
      const names = database.prepare(
        `SELECT now.user_name FROM ${from} ORDER BY now.folded_name LIMIT ${namesMax}`,
      );
      return { count: Number(count), names: names.all().map((row) => String(row["user_name"])) };
    };
    const both = "current.accounts now JOIN main.accounts old USING (record_id)";
    const without = (other: string) =>
      `WHERE NOT EXISTS (SELECT 1 FROM ${other}.accounts WHERE record_id = now.record_id)`;
    yield {
      enabled: find(`${both} WHERE old.is_enabled AND NOT now.is_enabled`),
      // A hash that is renewed at log-in leaves the epoch alone, a new password does not.
      passwords: find(`${both} WHERE old.hash <> now.hash AND old.epoch <> now.epoch`),
      gone: find(`current.accounts now ${without("main")}`),
      back: find(`main.accounts now ${without("current")}`),
    };
  } finally {
    database.close();
  }
}

/** Finds facts about a file, then damage, `"ok"` without any, also while others write it. */
async function* inspect(file: string): AsyncGenerator<DatabaseFacts | string> {
  const database = openToRead(file);
  yield await factsOf(database, journalModeOf(file));
  const finding = quickCheck(database);
  database.close();
  // A server that began to write meanwhile is no damage.
  const isTorn = finding !== "ok" && existsSync(`${file}-wal`);
  yield isTorn ? quickCheck(openToRead(file)) : finding;
}

async function factsOf(database: DatabaseSync, journalMode: string): Promise<DatabaseFacts> {
  const query = async (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  };
  const hasTable = async (name: string) =>
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
  const schema = await readSchemaFacts(hasTable, ({ sqlite }) => query(sqlite));
  const [row] = await query("SELECT sqlite_version() AS version");
  return { ...schema, version: String(row?.["version"]), journalMode };
}

/** As the head of the file has it: a handle that reads it as it stands knows of no log. */
function journalModeOf(file: string): string {
  const head = Buffer.alloc(20);
  const handle = openSync(file, "r");
  readSync(handle, head, 0, head.length, 0);
  closeSync(handle);
  return head[18] === 2 ? "wal" : "delete";
}

/** Page requests come last: the time for the whole file may be too short. */
function quickCheck(database: DatabaseSync): string {
  const names = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('page_requests', 'sqlite_sequence')",
  );
  for (const scope of [...names.all().map(({ name }) => `"${name}"`), 1]) {
    const found = database.prepare(`PRAGMA quick_check(${scope})`).get() ?? {};
    const [finding] = Object.values(found);
    if (finding !== "ok") return String(finding);
  }
  return "ok";
}
