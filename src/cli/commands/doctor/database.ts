import type { Config } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { newestSchemaVersion } from "../../../store/migrate.ts";
import { addressOf } from "../../../store/open-database.ts";
import { connectionsPerNode, inspectPostgres } from "../../../store/postgres/connection.ts";
import { inspectSqlite } from "../../../store/sqlite/file-tasks.ts";
import { StoreError } from "../../../store/store-error.ts";
import { renderBytes, toShellWord } from "../../io/printable.ts";
import { checkFolder, checkSpace, type FileState, may, stateOf } from "./files.ts";
import { type Checks, ok, problem, type Result, runChecks, warning } from "./finding.ts";

/** Time to read a SQLite file from end to end, in milliseconds: some five million page requests on a good disk. */
const inspectMs = 5_000;
/** Largest write-ahead log that is usual, in bytes: SQLite writes it back every 1,000 pages. */
const logBytesMax = 268_435_456;

const goBack = "go back to a backup: wfh restore <backup> --force";
const asServer = "run doctor as the server's user, or give the file to that user: chown";

/** Checks the database of the settings, and makes none. `facts` is null where it does not exist or cannot be read. */
export async function checkDatabase(config: Config) {
  const { databaseUrl } = config;
  const address = addressOf(databaseUrl);
  const isSqlite = address.engine === "SQLite";
  try {
    if (isSqlite) return await checkSqlite(address.file);
    const facts = await inspectPostgres(databaseUrl, Date.now);
    const text = `PostgreSQL ${facts.version} responds at ${address.shown}, syncs what it commits, and is writable.`;
    const checks: Checks<ReadableDatabase> = {
      "database-readable": () => ok(text),
      schema: checkSchema,
      connections: checkConnections,
    };
    return { findings: await runChecks(checks, { facts }), facts };
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const text = `The database ${address.shown} cannot be read: ${cause.message}.`;
    const fix = isSqlite
      ? `check WFH_DATABASE_URL; if the file is damaged, stop the server and ${goBack}`
      : "check WFH_DATABASE_URL and that the PostgreSQL server is running";
    return withoutFacts({ "database-readable": () => problem(text, fix) }, null);
  }
}

function checkConnections({ facts }: ReadableDatabase): Result {
  const { availableConnections: available, liveNodes } = facts;
  if (available === null) {
    return ok("It is reached through a connection pooler, which shares out its connections.");
  }
  const needed = Math.max(liveNodes, 1) * connectionsPerNode;
  const text = `The servers may open ${needed} connections; PostgreSQL allows ${available}.`;
  return needed <= available ? ok(text) : warning(text, "raise max_connections, or use pgbouncer");
}

async function withoutFacts<Subject>(checks: Checks<Subject>, subject: Subject) {
  return { findings: await runChecks(checks, subject), facts: null };
}

async function checkSqlite(path: string) {
  const file = await stateOf(path);
  const log = await stateOf(`${path}-wal`);
  if (file === null) return withoutFacts(missingFileChecks, { path, log });
  if (!file.isFile) {
    const check = () => problem(`${path} is not a file.`, "correct WFH_DATABASE_URL");
    return withoutFacts({ "database-there": check }, null);
  }
  if (!(await may("read", path))) {
    const check = () => problem(`This user cannot read the database ${path}.`, asServer);
    return withoutFacts({ "database-readable": check }, null);
  }
  // Owners are looked at first, because SQLite repairs them when it opens files for the superuser.
  const index = await stateOf(`${path}-shm`);
  const { facts, damage } = await inspectSqlite(path, inspectMs);
  const findings = await runChecks(fileChecks, { path, file, log, index, facts, damage });
  return { findings, facts };
}

const missingFileChecks: Checks<Pick<SqliteFile, "path" | "log">> = {
  "database-there": ({ path, log }) =>
    // With a log that belongs to it, the server does not start.
    log === null &&
    warning(
      `The database ${path} does not exist yet: the server creates it at start.`,
      "start the server, or correct WFH_DATABASE_URL",
    ),
  "write-ahead-log": ({ log }) =>
    log &&
    problem(
      `The write-ahead log ${log.path} exists without its database.`,
      `put the database back, or move the log away: mv ${toShellWord(log.path)} ${toShellWord(`${log.path}.old`)}`,
    ),
  "folder-writable": ({ path }) => checkFolder(path, "the database"),
  "disk-space": ({ path }) => checkSpace(path),
};

/** A database file that can be read, with those that SQLite keeps beside it. */
interface SqliteFile {
  readonly path: string;
  readonly file: FileState;
  readonly log: FileState | null;
  readonly index: FileState | null;
  readonly facts: DatabaseFacts;
  /** `"ok"`, what is damaged, or null where the check took too long. */
  readonly damage: string | null;
}

const fileChecks: Checks<SqliteFile> = {
  "database-readable": ({ path, file, facts }) =>
    ok(`SQLite ${facts.version} reads ${path}, ${renderBytes(file.bytes)}.`),
  schema: checkSchema,
  "journal-mode": ({ facts }) =>
    facts.journalMode === "wal"
      ? ok("It uses a write-ahead log (WAL), and the server syncs every commit (synchronous=FULL).")
      : warning(
          "It does not use a write-ahead log (WAL): a program other than the server has opened it.",
          "start the server, which switches WAL on",
        ),
  damage: ({ damage }) => {
    if (damage === "ok") return ok("The file is not damaged (PRAGMA quick_check).");
    return damage === null
      ? warning(
          `The check for damage was stopped after ${inspectMs / 1_000} seconds, before it had read all page requests.`,
          "make a backup, which checks its copy to the end: wfh backup <file>",
        )
      : problem(`The file is damaged: ${damage}.`, `stop the server and ${goBack}`);
  },
  "database-mode": (files) => {
    const open = nameFiles(files, ({ isOpenToOthers }) => isOpenToOthers);
    if (open === "") return ok("Only its owner can read it.");
    const text = `Users other than its owner can read it, and it contains password hashes: ${open}.`;
    return warning(text, `chmod 600 ${open}`);
  },
  "database-writable": async ({ path }) =>
    !(await may("write", path)) && problem("This user cannot write to it.", asServer),
  "database-owner": (files) => {
    const { path, file } = files;
    const foreign = nameFiles(files, ({ uid }) => uid !== file.uid);
    if (foreign === "") return null;
    return problem(
      `${foreign} has another owner than the database, so the server may be unable to open it.`,
      `chown --reference=${toShellWord(path)} ${foreign}`,
    );
  },
  "write-ahead-log": ({ log, index }) => [
    log !== null &&
      index === null &&
      warning(
        "Its write-ahead log has no index: the latest commits were not checked.",
        "start the server, which reads the log back in",
      ),
    log !== null &&
      log.bytes > logBytesMax &&
      warning(
        `The write-ahead log has grown to ${renderBytes(log.bytes)}: a reader has been open for a long time.`,
        "stop exports that hang; restarting the server writes the log back",
      ),
  ],
  "folder-writable": ({ path }) => checkFolder(path, "the database"),
  "disk-space": ({ path }) => checkSpace(path),
};

/** The names of those of the files that are meant, as they are typed; `""` without any. */
function nameFiles({ file, log, index }: SqliteFile, isMeant: (state: FileState) => boolean) {
  const files = [file, log, index].filter((state) => state !== null && isMeant(state));
  return files.map((state) => toShellWord(state?.path ?? "")).join(" ");
}

/** A database that can be read. */
interface ReadableDatabase {
  readonly facts: DatabaseFacts;
}

function checkSchema({ facts }: ReadableDatabase): Result {
  const { schemaVersion, schemaBarrier, journalMode } = facts;
  if (schemaVersion === 0) {
    return ok("The database is empty; the server creates the tables at its first start.");
  }
  const known = newestSchemaVersion;
  if (schemaVersion === known) return ok(`The schema is up to date, version ${known}.`);
  if (schemaVersion < known) {
    return warning(
      `The schema has version ${schemaVersion}; the server upgrades it to ${known} at start.`,
      journalMode === null
        ? "make a backup first with pg_dump (wfh backup <file> prints the command); then start the server"
        : "make a backup first: wfh backup <file>; then start the server",
    );
  }
  const newer = `The schema has version ${schemaVersion}, written by a newer program`;
  return schemaBarrier === null
    ? ok(`${newer}; this one supports ${known} and can run beside it.`)
    : problem(`${newer}; this one supports ${known}.`, `start the newer program, or ${goBack}`);
}
