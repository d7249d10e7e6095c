import { type CheckResult, problem, warning } from "../lib/check.ts";
import { toShellWord } from "../lib/printable.ts";

// Conditions that a start refuses or warns of, and that `wfh doctor` reports (database-checks.ts).

/** A command that goes back to a backup. */
export const goBack = "go back to a backup: wfh restore <backup> --force";

/** The schema was written by a newer program, and this one cannot run beside it (decision 0063). */
export function newerSchema(version: number, known: number, barrier: number): CheckResult {
  return problem(
    `The database has version ${version} of the schema, this program knows ${known} and cannot run beside version ${barrier}: it was written by a newer program.`,
    `start the newer program, or ${goBack}`,
  );
}

/** Imports of earlier versions have encrypted hashes of accounts with the key (decision 0035). */
export function sealedHashes(accounts: number): CheckResult {
  return problem(
    `The database cannot be upgraded: ${accounts} of its accounts have imported hashes that are sealed.`,
    "run wfh accounts wrap of the version before, then start this one",
  );
}

/** The key of this server is not that of the other nodes (decision 0064). */
export const otherKey = problem(
  "The secret key of this server is not that of the database: all nodes of one database need the same key.",
  "copy the key file of another node to this one (WFH_KEY_FILE), or set the same WFH_SECRET_KEYS. If that key is lost, run: wfh keys accept",
);

/** The log has what was committed last: a new database would be the end of it. */
export function strayLog(log: string): CheckResult {
  const word = toShellWord(log);
  return problem(
    `There is a write-ahead log ${log} without its database.`,
    `put the database back; or restore a backup (wfh restore); or move the log away to begin with an empty database: mv ${word} ${toShellWord(`${log}.old`)}`,
  );
}

/** A start made the database, which is what a wrong address looks like. */
export const newDatabase = warning(
  "A new database was created",
  "if there should have been one, stop the server and check WFH_DATABASE_URL",
);

/** The database of the settings is a folder, a pipe or a device. */
export function noFile(path: string): CheckResult {
  return problem(`${path} is not a file.`, "name a file in WFH_DATABASE_URL");
}

/** PRAGMA quick_check has found damage. */
export function damagedFile(file: string, finding: string): CheckResult {
  return problem(`The file ${file} is damaged: ${finding}.`, `stop the server and ${goBack}`);
}

/** All nodes together need more connections than there are. */
export const connectionsShort = warning(
  "All nodes together may open more connections than PostgreSQL has",
  "raise max_connections, or use pgbouncer",
);

/** Remedy for a wrong clock. */
export const syncClock = "switch time synchronisation on: timedatectl set-ntp true";

/** The clock is not that of the database server. */
export const clockDiffers = warning(
  "The clock differs from that of the database server",
  "log-ins go by the latter; synchronise both",
);
