import type { Stats } from "node:fs";
import { type CheckResult, type Checks, ok, problem, runChecks, warning } from "../lib/check.ts";
import * as files from "../lib/file-checks.ts";
import { renderBytes, toShellWord } from "../lib/printable.ts";
import type { DatabaseFacts } from "./inspection.ts";
import { newestSchemaVersion } from "./migrate.ts";
import { databaseAddressOf } from "./open-database.ts";
import { connectionsPerNode } from "./postgres/connection.ts";
import { inspectPostgres } from "./postgres/database.ts";
import * as problems from "./problems.ts";
import { inspectSqlite } from "./sqlite/copy-and-check.ts";
import { StoreError } from "./store-error.ts";

/** Time to read a SQLite file, in milliseconds: some five million page requests on a good disk. */
const inspectMs = 5_000;
/** Largest write-ahead log that is usual, in bytes: SQLite writes it back every 1,000 pages. */
const logBytesMax = 268_435_456;

/** A database that can be read. */
interface ReadableDatabase {
  readonly shown: string;
  readonly facts: DatabaseFacts;
}

/** A SQLite file that can be read, with those that SQLite keeps beside it. */
interface SqliteFile extends ReadableDatabase {
  readonly file: Stats;
  readonly log: Stats | null;
  readonly index: Stats | null;
  /** `"ok"`, what is damaged, or null where the check took too long. */
  readonly damage: string | null;
}

/** Checks the database of an address, and makes none. `facts` is null where it cannot be read. */
export async function checkDatabase(url: string) {
  const address = databaseAddressOf(url);
  const { shown } = address;
  try {
    if (address.engine === "SQLite") return await checkSqlite(shown);
    const facts = await inspectPostgres(url, Date.now);
    return { findings: await runChecks(serverChecks, { shown, facts }), facts };
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const fix = `check WFH_DATABASE_URL, and ${address.engine === "SQLite" ? `if the file is damaged, stop the server and ${problems.goBack}` : "that the PostgreSQL server is running"}`;
    const text = `The database ${shown} cannot be read: ${cause.message}.`;
    const checks = { "database-readable": () => problem(text, fix) };
    return { findings: await runChecks(checks, null), facts: null };
  }
}

async function checkSqlite(path: string) {
  const file = files.stateOf(path);
  // Owners are looked at first, because SQLite repairs them when it opens files for the superuser.
  const log = files.stateOf(`${path}-wal`);
  const index = files.stateOf(`${path}-shm`);
  if (!file?.isFile()) {
    return { findings: await runChecks(missingFileChecks, { path, file, log }), facts: null };
  }
  const { facts, damage } = await inspectSqlite(path, inspectMs);
  const found = { shown: path, file, log, index, facts, damage };
  return { findings: await runChecks(fileChecks, found), facts };
}

/** Checks of a PostgreSQL database; connecting refuses one that would lose data. */
const serverChecks: Checks<ReadableDatabase> = {
  "database-readable": ({ shown, facts: { version } }) =>
    ok(`PostgreSQL ${version} responds at ${shown}, syncs what it commits, and is writable.`),
  schema: checkSchema,
  connections: ({ facts: { availableConnections: available, liveNodes } }) => {
    if (available === null) {
      return ok("It is reached through a connection pooler, which shares out its connections.");
    }
    const needed = Math.max(liveNodes, 1) * connectionsPerNode;
    const { connectionsShort } = problems;
    return needed <= available
      ? ok(`The servers may open ${needed} connections; PostgreSQL allows ${available}.`)
      : { ...connectionsShort, text: `${connectionsShort.text}: ${needed} of ${available}.` };
  },
};

/** Checks where a SQLite file is still to be made. */
const missingFileChecks: Checks<{
  readonly path: string;
  readonly file: Stats | null;
  readonly log: Stats | null;
}> = {
  "database-there": ({ path, file, log }) => {
    if (file !== null) return problems.noFile(path);
    // With a log that belongs to it, the server does not start.
    if (log !== null) return null;
    const text = `The database ${path} does not exist yet: the server creates it at start.`;
    return warning(text, "start the server, or correct WFH_DATABASE_URL");
  },
  "write-ahead-log": ({ path, file, log }) =>
    file === null && log && problems.strayLog(`${path}-wal`),
  "folder-writable": ({ path }) => files.checkFolder(path, "the database", "WFH_DATABASE_URL"),
  "disk-space": ({ path }) => files.checkSpace(path),
};

/** Checks of a SQLite file. A start looks for damage only in a small one. */
const fileChecks: Checks<SqliteFile> = {
  "database-readable": ({ shown, file, facts }) =>
    ok(`SQLite ${facts.version} reads ${shown}, ${renderBytes(file.size)}.`),
  schema: checkSchema,
  "journal-mode": ({ facts }) =>
    facts.journalMode === "wal"
      ? ok("It uses a write-ahead log (WAL), and the server syncs every commit (synchronous=FULL).")
      : warning(
          "It does not use a write-ahead log (WAL): a program other than the server has opened it.",
          "start the server, which switches WAL on",
        ),
  damage: ({ shown, damage }) => {
    if (damage === "ok") return ok("The file is not damaged (PRAGMA quick_check).");
    return damage === null
      ? warning(
          `The check for damage was stopped after ${inspectMs / 1_000} seconds, before it had read all page requests.`,
          "make a backup, which checks its copy to the end: wfh backup <folder>",
        )
      : problems.damagedFile(shown, damage);
  },
  "database-mode": (found) => {
    const open = nameFiles(found, files.isOpenToOthers);
    if (open === "") return ok("Only its owner can read it.");
    const text = `Users other than its owner can read it, and it contains password hashes: ${open}.`;
    return warning(text, `chmod 600 ${open}`);
  },
  "database-writable": ({ shown }) =>
    !files.mayWrite(shown) &&
    problem(
      "This user cannot write to it.",
      "run doctor as the server's user, or give the file to that user: chown",
    ),
  "database-owner": (found) => {
    const foreign = nameFiles(found, ({ uid }) => uid !== found.file.uid);
    return foreign !== "" && files.foreignOwner(foreign, found.shown);
  },
  "write-ahead-log": ({ log, index }) => [
    log !== null &&
      index === null &&
      warning(
        "Its write-ahead log has no index: the latest commits were not checked.",
        "start the server, which reads the log back in",
      ),
    log !== null &&
      log.size > logBytesMax &&
      warning(
        `The write-ahead log has grown to ${renderBytes(log.size)}: a reader has been open for a long time.`,
        "stop exports that hang; restarting the server writes the log back",
      ),
  ],
  "folder-writable": ({ shown }) => files.checkFolder(shown, "the database", "WFH_DATABASE_URL"),
  "disk-space": ({ shown }) => files.checkSpace(shown),
};

/** The names of those of the files that are meant, as they are typed; `""` without any. */
function nameFiles({ shown, file, log, index }: SqliteFile, isMeant: (state: Stats) => boolean) {
  const states = Object.entries({ "": file, "-wal": log, "-shm": index });
  const meant = states.filter(([, state]) => state !== null && isMeant(state));
  return meant.map(([ending]) => toShellWord(shown + ending)).join(" ");
}

function checkSchema({ facts }: ReadableDatabase): CheckResult {
  const { schemaVersion, schemaBarrier, journalMode } = facts;
  const known = newestSchemaVersion;
  if (schemaVersion === 0) {
    return ok("The database is empty; the server creates the tables at its first start.");
  }
  if (schemaVersion === known) return ok(`The schema is up to date, version ${known}.`);
  const found = `The schema has version ${schemaVersion}`;
  if (schemaVersion < known) {
    return warning(
      `${found}; the server upgrades it to ${known} at start.`,
      journalMode === null
        ? "make a backup first with pg_dump (wfh backup <folder> prints the command); then start the server"
        : "make a backup first: wfh backup <folder>; then start the server",
    );
  }
  return schemaBarrier === null
    ? ok(`${found}, written by a newer program; this one supports ${known} and can run beside it.`)
    : problems.newerSchema(schemaVersion, known, schemaBarrier);
}

/** Checks of what the database knows of the server's keys, given their fingerprints. */
export const databaseKeyChecks: Checks<{
  readonly facts: Pick<DatabaseFacts, "keyFingerprint" | "hashForms">;
  /** null where the keys cannot be read, and for a file, which belongs to one server. */
  readonly fingerprints: readonly string[] | null;
}> = {
  "keys-of-nodes": ({ facts: { keyFingerprint }, fingerprints }) => {
    if (fingerprints === null) return null;
    if (keyFingerprint === null) return ok("No node has recorded its key in the database yet.");
    return fingerprints.includes(keyFingerprint)
      ? ok("The other nodes of the database have the same key.")
      : problems.otherKey;
  },
  "hashes-sealed": ({ facts: { hashForms } }) => {
    const sealed = Object.entries(hashForms).filter(([form]) => form.endsWith("+sealed"));
    const accounts = sealed.reduce((sum, [, count]) => sum + count, 0);
    return accounts > 0 && problems.sealedHashes(accounts);
  },
};
