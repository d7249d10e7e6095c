import { type ColumnDefinitionBuilder, type CreateTableBuilder, sql } from "kysely";
import type { ColumnKind } from "../sql.ts";

/** What migrations write differently for the two engines. */
export interface Dialect {
  /** Types of columns, as SQL spells them. */
  readonly types: Readonly<Record<ColumnKind, "text" | "bigint" | "integer" | "boolean">>;
  /** Makes a column the key of its table, counted up by the database and never used again. */
  readonly countUp: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** What follows the columns of each table. */
  readonly endTable: <Name extends string>(
    table: CreateTableBuilder<Name>,
  ) => CreateTableBuilder<Name>;
}

/** In a strict table of SQLite every integer has 64 bits, and a boolean is one of them. */
export const sqliteDialect: Dialect = {
  types: { text: "text", int64: "integer", int32: "integer", boolean: "integer" },
  countUp: (column) => column.primaryKey().autoIncrement(),
  endTable: (table) => table.modifyEnd(sql`strict`),
};

/** PostgreSQL 14 or newer. */
export const postgresDialect: Dialect = {
  types: { text: "text", int64: "bigint", int32: "integer", boolean: "boolean" },
  countUp: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  endTable: (table) => table,
};
