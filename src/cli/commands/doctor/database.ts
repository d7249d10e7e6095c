import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import { newestSchemaVersion } from "../../../store/inspect-schema.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { inspectPostgres } from "../../../store/postgres/inspect.ts";
import { inspectSqlite } from "../../../store/sqlite/inspect.ts";
import { StoreError } from "../../../store/store-error.ts";
import { toShellWord } from "../../io/printable.ts";
import {
  checkFolder,
  checkSpace,
  type FileState,
  mayRead,
  mayWrite,
  renderBytes,
  stateOf,
} from "./files.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Time for a SQLite file to be read from end to end, in milliseconds: some gigabytes on a good disk. */
const inspectMs = 20_000;
/** Largest write-ahead log that is usual, in bytes: 1,000 pages are written back at a time. */
const logBytesMax = 268_435_456;

/** What was found of the database. */
export interface DatabaseChapter {
  readonly findings: readonly Finding[];
  /** null where it is not there or cannot be read. */
  readonly facts: DatabaseFacts | null;
}

/** Looks at the database of the settings, and makes none. */
export async function checkDatabase({ databaseUrl }: Config): Promise<DatabaseChapter> {
  const address = addressOf(databaseUrl);
  try {
    return address.engine === "SQLite"
      ? await checkSqlite(address.file)
      : await checkPostgres(databaseUrl, address.shown);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const text = `The database ${address.shown} cannot be read: ${cause.message}.`;
    const fix =
      address.engine === "SQLite"
        ? "check WFH_DATABASE_URL; if the file is damaged, stop the server and go back to a backup: wfh restore <backup> --force"
        : "check WFH_DATABASE_URL and that the PostgreSQL server runs";
    return { findings: [problem("database-readable", text, fix)], facts: null };
  }
}

async function checkPostgres(url: string, shown: string): Promise<DatabaseChapter> {
  const facts = await inspectPostgres(url, Date.now);
  const engine = ok(
    "database-readable",
    `PostgreSQL ${facts.version} answers at ${shown}, syncs what it commits, and can be written to.`,
  );
  return { findings: [engine, checkSchema(facts)], facts };
}

async function checkSqlite(file: string): Promise<DatabaseChapter> {
  const state = await stateOf(file);
  if (state === null) {
    const text = `There is no database ${file} yet: the server makes it when it starts.`;
    const fix = "start the server, or correct WFH_DATABASE_URL";
    const stray = (await stateOf(`${file}-wal`)) === null ? [] : [strayLog(file)];
    const around = await checkAround(file);
    return { findings: [warning("database-there", text, fix), ...stray, ...around], facts: null };
  }
  if (!state.isFile) {
    const text = `${file} is not a file.`;
    return { findings: [problem("database-there", text, "correct WFH_DATABASE_URL")], facts: null };
  }
  if (!(await mayRead(file))) {
    const text = `This user may not read the database ${file}.`;
    const fix = "run doctor as the user of the server, or give the file to that user: chown";
    return { findings: [problem("database-readable", text, fix)], facts: null };
  }
  // First, because SQLite mends owners when it opens files for the superuser.
  const files = await checkFiles(state);
  const { facts, damage } = await inspectSqlite(file, inspectMs);
  return {
    findings: [
      ok(
        "database-readable",
        `SQLite ${facts.version} reads ${file}, ${renderBytes(state.bytes)}.`,
      ),
      checkSchema(facts),
      checkJournal(facts),
      checkDamage(damage),
      ...files,
      ...(await checkAround(file)),
    ],
    facts,
  };
}

/** Its folder and its disk. */
async function checkAround(file: string): Promise<readonly Finding[]> {
  return [await checkFolder(file, "the database"), await checkSpace(file)];
}

function strayLog(file: string): Finding {
  const log = `${file}-wal`;
  return problem(
    "write-ahead-log",
    `There is a write-ahead log ${log} without its database.`,
    `put the database back, or move the log away: mv ${toShellWord(log)} ${toShellWord(`${log}.old`)}`,
  );
}

function checkSchema({ schemaVersion }: DatabaseFacts): Finding {
  const known = newestSchemaVersion;
  if (schemaVersion === known) return ok("schema", `The schema is up to date, version ${known}.`);
  if (schemaVersion < known) {
    return warning(
      "schema",
      `The schema has version ${schemaVersion}, this program brings it to ${known} when it starts.`,
      "make a backup first: wfh backup <file>; then start the server",
    );
  }
  return problem(
    "schema",
    `The schema has version ${schemaVersion}, written by a newer program; this one knows ${known}.`,
    "start the newer program, or go back to a backup: wfh restore <backup> --force",
  );
}

function checkJournal({ journalMode }: DatabaseFacts): Finding {
  return journalMode === "wal"
    ? ok(
        "journal-mode",
        "It writes ahead (WAL), and the server syncs every commit (synchronous=FULL).",
      )
    : warning(
        "journal-mode",
        "It does not write ahead (WAL): something else than the server has opened it.",
        "start the server, which switches WAL on",
      );
}

function checkDamage(damage: string | null): Finding {
  if (damage === "ok") return ok("damage", "The file is not damaged (PRAGMA quick_check).");
  if (damage === null) {
    return warning(
      "damage",
      `The check for damage was given up after ${inspectMs / 1_000} seconds.`,
      "make a backup, which checks its copy to the end: wfh backup <file>",
    );
  }
  return problem(
    "damage",
    `The file is damaged: ${damage}.`,
    "stop the server and go back to a backup: wfh restore <backup> --force",
  );
}

/** Mode and owner of the file and of those that SQLite keeps beside it. */
async function checkFiles(database: FileState): Promise<readonly Finding[]> {
  const { path } = database;
  const log = await stateOf(`${path}-wal`);
  const index = await stateOf(`${path}-shm`);
  const files = [database, log, index].flatMap((state) => state ?? []);
  const open = files.filter(({ isOpenToOthers }) => isOpenToOthers);
  const foreign = files.filter(({ uid }) => uid !== database.uid);
  const nameOf = (states: readonly FileState[]) =>
    states.map((state) => toShellWord(state.path)).join(" ");
  return [
    open.length === 0
      ? ok("database-mode", "Only its owner can read it.")
      : warning(
          "database-mode",
          `Others than its owner can read it, and it holds hashes of passwords: ${nameOf(open)}.`,
          `chmod 600 ${nameOf(open)}`,
        ),
    ...((await mayWrite(path))
      ? []
      : [
          problem(
            "database-writable",
            "This user may not write to it.",
            "run doctor as the user of the server, or give the file to that user: chown",
          ),
        ]),
    ...(foreign.length === 0
      ? []
      : [
          problem(
            "database-owner",
            `${nameOf(foreign)} belongs to another user than the database, so the server may not get in.`,
            `chown --reference=${toShellWord(path)} ${nameOf(foreign)}`,
          ),
        ]),
    ...(log !== null && index === null
      ? [
          warning(
            "write-ahead-log",
            "A write-ahead log lies beside it without its index: the latest commits were not looked at.",
            "start the server, which reads the log back in",
          ),
        ]
      : []),
    ...(log !== null && log.bytes > logBytesMax
      ? [
          warning(
            "write-ahead-log",
            `The write-ahead log has grown to ${renderBytes(log.bytes)}: a reader has been open for very long.`,
            "end exports that hang; restarting the server writes the log back",
          ),
        ]
      : []),
  ];
}
