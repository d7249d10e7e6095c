import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteFile } from "./sqlite-file.ts";

// This file is a process of its own that copies and checks SQLite files. SQLite cannot be interrupted
// from JavaScript; a process can be ended at any time.

/** What the process is to do. */
export type BackupTask =
  /** Copies a file that others may be writing, as it is at this moment, into one that is not there. */
  | { readonly kind: "copy"; readonly source: string; readonly target: string }
  /** Reads a file that nobody else has open from end to end. */
  | { readonly kind: "check"; readonly file: string };

/** How a task ended. */
export type BackupResult =
  | { readonly kind: "copied" }
  | { readonly kind: "checked"; readonly content: DatabaseContent }
  | { readonly kind: "failed"; readonly reason: string };

/** What is in a database. */
export interface DatabaseContent {
  /** Migrations that were applied. */
  readonly schemaVersion: number;
  /** Rows of each table, by its name. */
  readonly rows: Readonly<Record<string, number>>;
  /** Imported hashes that cannot be read without the key of the server (decision 0035). */
  readonly sealedHashes: number;
}

process.once("message", (task: BackupTask) => {
  process.send?.(perform(task));
  process.disconnect();
});

function perform(task: BackupTask): BackupResult {
  try {
    if (task.kind === "check") return { kind: "checked", content: check(task.file) };
    copy(task.source, task.target);
    return { kind: "copied" };
  } catch (cause) {
    return { kind: "failed", reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** One transaction that reads everything: writers go on, and what they add is not seen. */
function copy(source: string, target: string): void {
  // The last one to close a handle that may write tidies the write-ahead log up; a reader would leave it there.
  const database = openSqliteFile(source, "write");
  try {
    // SQLite fills an empty file, and would let others read one that it makes itself.
    closeSync(openSync(target, "wx", 0o600));
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
}

function check(file: string): DatabaseContent {
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
    const knowsForms = value(
      "SELECT count(*) FROM pragma_table_info('accounts') WHERE name = 'hash_form'",
    );
    return {
      sealedHashes: knowsForms
        ? Number(value("SELECT count(*) FROM accounts WHERE hash_form LIKE '%+sealed'"))
        : 0,
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
