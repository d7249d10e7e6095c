import { createHash } from "node:crypto";
import { requireSameSchema } from "@wfh/server/store/migrate.ts";
import { nodeLeaseMs } from "@wfh/server/store/node.ts";
import type { KeyFingerprints } from "@wfh/server/store/node-queries.ts";
import {
  databaseAddressOf,
  isMissing,
  openDatabase,
  toStoreError,
} from "@wfh/server/store/open-database.ts";
import { ServerQueries } from "@wfh/server/store/server-queries.ts";
import type { Database } from "@wfh/server/store/sql.ts";
import { lockAsServer } from "@wfh/server/store/sqlite/server-lock.ts";
import { StoreError, StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { type CopiedRow, CopyQueries, type RowKey, type RowSpan } from "./queries.ts";
import { type CopiedTable, copiedTables } from "./tables.ts";

/** Rows read, compared or written at once: what bounds memory, and what an interruption costs. */
const pageRows = 1_000;

/** Steps of a copy, in this order. */
type Step = "Comparing" | "Copying" | "Verifying";

/** From where to where a database is copied, and how. */
export interface CopyOptions {
  /** Addresses of two databases, each of another engine. */
  readonly from: string;
  readonly to: string;
  /** Only compares, and changes nothing. */
  readonly isDryRun: boolean;
  /** Days that page requests are kept and PostgreSQL gets partitions for; 0 keeps them for ever. */
  readonly retentionDays: number;
  /** Of the keys that sealed what is copied; null where they are not known. */
  readonly keyFingerprints: KeyFingerprints | null;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Ends the copy between two batches. */
  readonly signal: AbortSignal;
  /** Called with rows that a step has come through, and how many it has about. */
  readonly onProgress: (step: Step, rows: number, ofRows: number) => void;
}

/** Result for a table. A type, so that it can be printed as JSON. */
export type TableCopy = {
  readonly table: string;
  /** Of the source. */
  readonly rows: number;
  /** Those that the target had already. */
  readonly present: number;
  /** SHA-256 in hexadecimal of the target's rows, which equals the source's; null in a dry run. */
  readonly sha256: string | null;
};

/** Result of a copy. */
export interface DatabaseCopy {
  readonly tables: readonly TableCopy[];
  /** In a dry run, why a copy would be refused at present. */
  readonly obstacle: string | null;
}

/** One of the two databases. */
class Side extends ServerQueries {
  readonly url: string;
  readonly shown: string;
  readonly copy: CopyQueries;
  readonly #database: Database;
  #release: ReturnType<typeof lockAsServer>;

  constructor(url: string, database: Database) {
    super(database);
    this.url = url;
    this.shown = databaseAddressOf(url).shown;
    this.copy = new CopyQueries(database);
    this.#database = database;
  }

  /** True where a server or another copy uses it. Keeps others from a file until it is closed. */
  async isInUse(nowMs: number): Promise<boolean> {
    const address = databaseAddressOf(this.url);
    if (address.engine === "SQLite") this.#release ??= lockAsServer(address.file);
    const isLocked = address.engine === "SQLite" && this.#release === undefined;
    return isLocked || (await this.nodes.count(nowMs, nodeLeaseMs)) > 0;
  }

  async close(): Promise<void> {
    await this.#database.close();
    this.#release?.();
  }
}

interface Copying extends CopyOptions {
  readonly source: Side;
  readonly target: Side;
}

/** Extent to which two tables are the same. */
interface TableComparison {
  /** First rows that are the same. */
  readonly rows: number;
  /** Key of the last of them. */
  readonly last: RowKey;
  readonly sha256: string;
}

/**
 * Copies everything that a database keeps for its operator into one of the other engine, and
 * compares the two. One that was interrupted goes on where it ended: each batch is one transaction,
 * in the order of keys (decision 0071).
 *
 * @throws {StoreError} when a server uses either, the target has other data, or one is unusable.
 */
export async function copyDatabase(options: CopyOptions): Promise<DatabaseCopy> {
  const source = await openSide(options.from, requireSameSchema);
  try {
    if (options.keyFingerprints !== null) await source.nodes.checkKey(options.keyFingerprints);
    const target = await openTarget(options);
    if (target === null) return await previewNew(source, options);
    try {
      return await copyBetween({ ...options, source, target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openSide(
  url: string,
  prepare: (database: Database) => Promise<unknown>,
): Promise<Side> {
  return new Side(url, await openDatabase(url, "import", prepare));
}

/** Opens the target, and gives an empty one its schema; null in a dry run, where it stays empty. */
async function openTarget({ to, isDryRun, now }: CopyOptions): Promise<Side | null> {
  let isEmpty = isMissing(to);
  if (isEmpty && isDryRun) return null;
  const target = await openSide(to, async (database) => {
    isEmpty ||= !(await database.hasTable("schema_migrations"));
    if (!isEmpty) await requireSameSchema(database);
    else if (!isDryRun) await database.migrate(now());
  });
  if (!isEmpty || !isDryRun) return target;
  await target.close();
  return null;
}

async function previewNew(source: Side, options: CopyOptions): Promise<DatabaseCopy> {
  const rows = await countRows(source);
  const tables = copiedTables.map(({ name: table }, i) => {
    return { table, rows: rows[i] ?? 0, present: 0, sha256: null };
  });
  return { tables, obstacle: await findObstacle(options, [source]) };
}

async function copyBetween(copying: Copying): Promise<DatabaseCopy> {
  const { source, target, isDryRun, keyFingerprints, now } = copying;
  const obstacle = await findObstacle(copying, [source, target]);
  if (obstacle !== null && !isDryRun) throw new StoreError(obstacle);
  const opened = await countOpened(copying);
  const present = await compareAll(copying, "Comparing");
  const rows = await countRows(source);
  const describe = (compared: readonly TableComparison[] | null): readonly TableCopy[] =>
    copiedTables.map(({ name: table }, i) => ({
      table,
      rows: rows[i] ?? 0,
      present: present[i]?.rows ?? 0,
      sha256: compared?.[i]?.sha256 ?? null,
    }));
  if (isDryRun) return { tables: describe(null), obstacle };

  await copyAll(copying, present);
  const compared = await compareAll(copying, "Verifying");
  await target.copy.writeState(await source.copy.readState());
  if (databaseAddressOf(target.url).engine === "PostgreSQL" && keyFingerprints !== null) {
    await target.nodes.acceptKey(keyFingerprints, now());
  }
  if ((await countOpened(copying)).join() !== opened.join()) {
    throw new StoreError(
      `A server was started on ${source.shown} or ${target.shown} during the copy, and may have stored more. Stop it, and copy again`,
    );
  }
  return { tables: describe(compared), obstacle };
}

/** Why nothing may be copied, and what to do; null where it may. Keeps files from other copies. */
async function findObstacle({ now }: CopyOptions, sides: readonly Side[]): Promise<string | null> {
  for (const side of sides) {
    if (await side.isInUse(now())) {
      return `A server or another copy uses ${side.shown}. Stop it first; on PostgreSQL one that was killed counts for 15 seconds`;
    }
  }
  return null;
}

/** Number of times that servers have begun to write to each database. */
function countOpened({ source, target }: Copying): Promise<readonly number[]> {
  return Promise.all([source.copy.countOpened(), target.copy.countOpened()]);
}

function countRows({ copy }: Side): Promise<readonly number[]> {
  return Promise.all(copiedTables.map(({ name }) => copy.count(name)));
}

/** Compares all tables. Before the copy the target may have less than the source. */
async function compareAll(copying: Copying, step: "Comparing" | "Verifying") {
  const passed = openMeter(copying, step, await countRows(copying.target));
  const compared: TableComparison[] = [];
  for (const table of copiedTables) {
    compared.push(await compareTable(copying, table, step === "Verifying", passed));
  }
  return compared;
}

/** A function that reports rows a step has come through. */
function openMeter({ signal, onProgress }: Copying, step: Step, counts: readonly number[]) {
  const ofRows = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  return (rows: number) => {
    signal.throwIfAborted();
    done += rows;
    onProgress(step, done, ofRows);
  };
}

/**
 * Compares the rows of a table in the order of their keys, as long as the target has any.
 *
 * @throws {StoreError} naming the first row that differs, or is missing where all are needed.
 */
async function compareTable(
  { source, target }: Copying,
  table: CopiedTable,
  mustBeComplete: boolean,
  passed: (rows: number) => void,
): Promise<TableComparison> {
  const hash = createHash("sha256");
  let rows = 0;
  let last: RowKey = null;
  for (;;) {
    const span: RowSpan = { table: table.name, after: last, limit: pageRows };
    const [given, copied] = await Promise.all([source.copy.read(span), target.copy.read(span)]);
    const givenLines = given.map(toLine);
    const lines = copied.map(toLine);
    const isSame = lines.every((line, i) => line === givenLines[i]);
    if (!isSame || (mustBeComplete && lines.length < givenLines.length)) {
      const key = findDifference(table, given, copied);
      throw new StoreError(
        `The target ${target.shown} differs from ${source.shown}: table ${table.name}, ${key}. It has data of something else, or the source was used since an earlier copy. Nothing was overwritten. Name a new database, or one that is empty`,
      );
    }
    for (const line of lines) hash.update(line);
    rows += lines.length;
    last = copied.at(-1)?.slice(0, table.keyLength) ?? last;
    passed(lines.length);
    if (lines.length < pageRows) return { rows, last, sha256: hash.digest("hex") };
  }
}

/** Columns have one kind each, so that digits cannot be taken for a text. */
function toLine(row: CopiedRow): string {
  const values = row.map((value) => (typeof value === "bigint" ? String(value) : value));
  return `${JSON.stringify(values)}\n`;
}

/** The key of the first row that differs, as people read it. */
function findDifference(
  { columns, keyLength }: CopiedTable,
  given: readonly CopiedRow[],
  copied: readonly CopiedRow[],
): string {
  const names = Object.keys(columns).slice(0, keyLength);
  const describeKey = (row: CopiedRow = []) =>
    names.map((name, i) => `${name} ${row[i]}`).join(", ");
  const index = copied.findIndex(
    (row, i) => given[i] === undefined || toLine(row) !== toLine(given[i]),
  );
  // A key that the source has too comes later: a row before it is missing, or its values differ.
  const isExtra =
    index >= 0 && !given.some((row) => describeKey(row) === describeKey(copied[index]));
  return describeKey(isExtra ? copied[index] : given[index < 0 ? copied.length : index]);
}

async function copyAll(copying: Copying, present: readonly TableComparison[]): Promise<void> {
  const { source, target, now, retentionDays } = copying;
  const oldestMs = await source.copy.findOldestMs();
  // Retention drops them day by day; in the default partition it would delete row by row.
  await target.retention.preparePartitions({
    nowMs: now(),
    retentionDays,
    isStart: true,
    oldestMs,
  });
  const passed = openMeter(copying, "Copying", await countRows(source));
  for (const [i, { name: table, keyLength }] of copiedTables.entries()) {
    const { rows = 0, last = null } = present[i] ?? {};
    passed(rows);
    let batch = await source.copy.read({ table, after: last, limit: pageRows });
    while (batch.length > 0) {
      const after = batch.at(-1)?.slice(0, keyLength) ?? null;
      const refused = (cause: Error) => {
        if (cause instanceof StoreUnavailableError) throw cause;
        const place = `Rows of ${table} up to key ${after?.join(", ")} cannot be copied`;
        throw new StoreError(`${place}. ${toStoreError(cause, target.url).message}`, cause);
      };
      // The next rows are read while these are written.
      const [next] = await Promise.all([
        source.copy.read({ table, after, limit: pageRows }),
        target.copy.write(table, batch).catch(refused),
      ]);
      passed(batch.length);
      batch = next;
    }
  }
}
