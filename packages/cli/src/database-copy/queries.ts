import { keepRemovedId } from "@wfh/server/store/admin/account-removal.ts";
import { removedIdName } from "@wfh/server/store/admin/accounts.ts";
import { lastIdOf } from "@wfh/server/store/admin/follow.ts";
import { type Database, firstRow, type SqlValue, statement } from "@wfh/server/store/sql.ts";
import { type CopiedTable, copiedTables, numberedTables } from "./tables.ts";

/** Values of a row in the order of its table's columns: the same from both engines. */
export type CopiedRow = readonly SqlValue[];

/** Values of the key of a row; null is before the first one. */
export type RowKey = readonly SqlValue[] | null;

/** Rows that follow each other in the order of their keys. */
export interface RowSpan {
  readonly table: string;
  readonly after: RowKey;
  readonly limit: number;
}

/** State that a database has beside its tables of rows. */
export interface CopiedState {
  /** The highest ID that was given out, by table: that of a row may have been deleted. */
  readonly lastIds: Readonly<Record<string, bigint>>;
  /** The removed accounts' largest record ID, never reused (decision 0072); null without any. */
  readonly removedId: bigint | null;
  /** Progress of retention, UTC in milliseconds (decision 0046). */
  readonly retention: { readonly ranAt: bigint | null; readonly asOf: bigint | null };
}

// The first is for a table of SQLite that never had a row.
const setLastId = [
  statement<{ table: string; last: bigint }>({
    sqlite: `insert into sqlite_sequence (name, seq) select :table, :last
      where not exists (select 1 from sqlite_sequence where name = :table)`,
    postgres: "select cast(:table as text), cast(:last as bigint) where false",
  }),
  statement<{ table: string; last: bigint }>({
    sqlite: "update sqlite_sequence set seq = max(seq, :last) where name = :table",
    postgres: `select setval(name, :last) from pg_get_serial_sequence(:table, 'id') as name
      where cast(:last as bigint) > coalesce(pg_sequence_last_value(name), 0)`,
  }),
];
const findRetention = statement<object, { ran_at: bigint | null; as_of: bigint | null }>(
  "select ran_at, as_of from retention_state",
);
const setRetention = statement<CopiedState["retention"]>(
  "update retention_state set ran_at = :ranAt, as_of = :asOf",
);
const findRemovedId = statement<object, { id: bigint }>(
  `select number as id from revisions where name = '${removedIdName}'`,
);
const findOldest = statement<object, { oldestMs: number | null }>(
  'select min(arrived_at) as "oldestMs" from page_requests',
);
const findOpenedCount = statement<object, { openedCount: number }>(
  'select opened_count as "openedCount" from writer_state',
);

/** Reads and writes all rows of a database, for a copy on the other engine. */
export class CopyQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read({ table, after, limit }: RowSpan): Promise<readonly CopiedRow[]> {
    const { columns, findFirst, findNext } = tableOf(table);
    const key = Object.fromEntries((after ?? []).map((value, i) => [`key${i}`, value]));
    const found = after === null ? findFirst : findNext;
    const rows = await this.#database.rows(found as typeof findNext, { ...key, limit });
    const names = Object.keys(columns);
    return rows.map((row) => names.map((name) => row[name] ?? null));
  }

  /** Inserts rows, all or none. */
  write(table: string, rows: readonly CopiedRow[]): Promise<void> {
    return this.#database.insert(tableOf(table).insert, rows);
  }

  async count(table: string): Promise<number> {
    return (await firstRow(this.#database, tableOf(table).countRows, {}))?.rows ?? 0;
  }

  /** Arrival of the oldest page request, UTC in milliseconds; null without any. */
  async findOldestMs(): Promise<number | null> {
    return (await firstRow(this.#database, findOldest, {}))?.oldestMs ?? null;
  }

  /** Number of times that a server has opened the database to write page requests. */
  async countOpened(): Promise<number> {
    return (await firstRow(this.#database, findOpenedCount, {}))?.openedCount ?? 0;
  }

  async readState(): Promise<CopiedState> {
    const lastIds: Record<string, bigint> = {};
    for (const table of numberedTables) {
      lastIds[table] = await lastIdOf(this.#database, table);
    }
    const { ran_at: ranAt = null, as_of: asOf = null } =
      (await firstRow(this.#database, findRetention, {})) ?? {};
    const removedId = (await firstRow(this.#database, findRemovedId, {}))?.id ?? null;
    return { lastIds, removedId, retention: { ranAt, asOf } };
  }

  writeState({ lastIds, removedId, retention }: CopiedState): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      for (const [table, last] of Object.entries(lastIds)) {
        for (const set of setLastId) await transaction.run(set, { table, last });
      }
      await transaction.run(setRetention, retention);
      if (removedId !== null) await transaction.run(keepRemovedId, { id: removedId });
    });
  }
}

function tableOf(name: string): CopiedTable {
  const found = copiedTables.find((table) => table.name === name);
  if (found === undefined) throw new Error(`The table ${name} is not copied`);
  return found;
}
