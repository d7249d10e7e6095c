import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { newestSchemaVersion } from "../../../store/migrate.ts";
import { inspectPostgres } from "../../../store/postgres/inspect.ts";
import { inspectSqlite } from "../../../store/sqlite/file-tasks.ts";
import { StoreError } from "../../../store/store-error.ts";
import { renderBytes, toShellWord } from "../../io/printable.ts";
import { checkFolder, checkSpace, type FileState, mayRead, mayWrite, stateOf } from "./files.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Time to read a SQLite file from end to end, in milliseconds: some gigabytes on a good disk. */
const inspectMs = 20_000;
/** Largest write-ahead log that is usual, in bytes: SQLite writes it back every 1,000 pages. */
const logBytesMax = 268_435_456;

const goBack = "go back to a backup: wfh restore <backup> --force";
const asServer = "run doctor as the user of the server, or give the file to that user: chown";

/** What was found of the database. */
export interface InspectedDatabase {
  readonly findings: readonly Finding[];
  /** null where it does not exist or cannot be read. */
  readonly facts: DatabaseFacts | null;
}

/** Checks the database of the settings, and makes none. */
export async function checkDatabase({ databaseUrl }: Config): Promise<InspectedDatabase> {
  const address = addressOf(databaseUrl);
  const isSqlite = address.engine === "SQLite";
  try {
    return isSqlite
      ? await checkSqlite(address.file)
      : await checkPostgres(databaseUrl, address.shown);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const text = `The database ${address.shown} cannot be read: ${cause.message}.`;
    const fix = isSqlite
      ? `check WFH_DATABASE_URL; if the file is damaged, stop the server and ${goBack}`
      : "check WFH_DATABASE_URL and that the PostgreSQL server runs";
    return { findings: [problem("database-readable", text, fix)], facts: null };
  }
}

async function checkPostgres(url: string, shown: string): Promise<InspectedDatabase> {
  const facts = await inspectPostgres(url, Date.now);
  const text = `PostgreSQL ${facts.version} responds at ${shown}, syncs what it commits, and can be written to.`;
  return { findings: [ok("database-readable", text), checkSchema(facts)], facts };
}

async function checkSqlite(file: string): Promise<InspectedDatabase> {
  const state = await stateOf(file);
  if (state === null)
    return { findings: await Array.fromAsync(describeMissing(file)), facts: null };
  if (!state.isFile) {
    const finding = problem("database-there", `${file} is not a file.`, "correct WFH_DATABASE_URL");
    return { findings: [finding], facts: null };
  }
  if (!(await mayRead(file))) {
    const text = `This user may not read the database ${file}.`;
    return { findings: [problem("database-readable", text, asServer)], facts: null };
  }
  // First, because SQLite repairs owners when it opens files for the superuser.
  const files = await Array.fromAsync(checkFiles(state));
  const { facts, damage } = await inspectSqlite(file, inspectMs);
  const text = `SQLite ${facts.version} reads ${file}, ${renderBytes(state.bytes)}.`;
  const findings = [
    ...[ok("database-readable", text), checkSchema(facts), checkJournal(facts)],
    ...[checkDamage(damage), ...files, ...(await checkAround(file))],
  ];
  return { findings, facts };
}

async function* describeMissing(file: string): AsyncGenerator<Finding> {
  const text = `There is no database ${file} yet: the server makes it when it starts.`;
  yield warning("database-there", text, "start the server, or correct WFH_DATABASE_URL");
  const log = `${file}-wal`;
  if ((await stateOf(log)) !== null) {
    yield problem(
      "write-ahead-log",
      `There is a write-ahead log ${log} without its database.`,
      `put the database back, or move the log away: mv ${toShellWord(log)} ${toShellWord(`${log}.old`)}`,
    );
  }
  yield* await checkAround(file);
}

/** Checks the folder and the disk of the database. */
async function checkAround(file: string): Promise<readonly Finding[]> {
  return [await checkFolder(file, "the database"), await checkSpace(file)];
}

function checkSchema({ schemaVersion }: DatabaseFacts): Finding {
  const known = newestSchemaVersion;
  if (schemaVersion === known) return ok("schema", `The schema is up to date, version ${known}.`);
  return schemaVersion < known
    ? warning(
        "schema",
        `The schema has version ${schemaVersion}, this program brings it to ${known} when it starts.`,
        "make a backup first: wfh backup <file>; then start the server",
      )
    : problem(
        "schema",
        `The schema has version ${schemaVersion}, written by a newer program; this one knows ${known}.`,
        `start the newer program, or ${goBack}`,
      );
}

function checkJournal({ journalMode }: DatabaseFacts): Finding {
  return journalMode === "wal"
    ? ok(
        "journal-mode",
        "It uses a write-ahead log (WAL), and the server syncs every commit (synchronous=FULL).",
      )
    : warning(
        "journal-mode",
        "It does not use a write-ahead log (WAL): another program than the server has opened it.",
        "start the server, which switches WAL on",
      );
}

function checkDamage(damage: string | null): Finding {
  if (damage === "ok") return ok("damage", "The file is not damaged (PRAGMA quick_check).");
  return damage === null
    ? warning(
        "damage",
        `The check for damage was given up after ${inspectMs / 1_000} seconds.`,
        "make a backup, which checks its copy to the end: wfh backup <file>",
      )
    : problem("damage", `The file is damaged: ${damage}.`, `stop the server and ${goBack}`);
}

/** Checks mode and owner of the file and of those that SQLite keeps beside it. */
async function* checkFiles(database: FileState): AsyncGenerator<Finding> {
  const { path } = database;
  const log = await stateOf(`${path}-wal`);
  const index = await stateOf(`${path}-shm`);
  const files = [database, log, index].flatMap((state) => state ?? []);
  const namesOf = (states: readonly FileState[]) =>
    states.map((state) => toShellWord(state.path)).join(" ");
  const open = namesOf(files.filter(({ isOpenToOthers }) => isOpenToOthers));
  yield open === ""
    ? ok("database-mode", "Only its owner can read it.")
    : warning(
        "database-mode",
        `Others than its owner can read it, and it holds hashes of passwords: ${open}.`,
        `chmod 600 ${open}`,
      );
  if (!(await mayWrite(path))) {
    yield problem("database-writable", "This user may not write to it.", asServer);
  }
  const foreign = namesOf(files.filter(({ uid }) => uid !== database.uid));
  if (foreign !== "") {
    yield problem(
      "database-owner",
      `${foreign} belongs to another user than the database, so the server may not be able to open it.`,
      `chown --reference=${toShellWord(path)} ${foreign}`,
    );
  }
  if (log !== null && index === null) {
    yield warning(
      "write-ahead-log",
      "Its write-ahead log has no index: the latest commits were not checked.",
      "start the server, which reads the log back in",
    );
  }
  if (log !== null && log.bytes > logBytesMax) {
    yield warning(
      "write-ahead-log",
      `The write-ahead log has grown to ${renderBytes(log.bytes)}: a reader has been open for very long.`,
      "end exports that hang; restarting the server writes the log back",
    );
  }
}
