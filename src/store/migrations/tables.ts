import type { ColumnType } from "kysely";

type Long = ColumnType<bigint, bigint, bigint>;
type LongOrNull = ColumnType<bigint | null, bigint | null, bigint | null>;

/** What migrations read and write in tables, beside making them. */
export interface Tables {
  readonly page_requests: { readonly arrived_at: Long };
  readonly log_in_events: { readonly at: Long };
  readonly writer_state: { readonly id: number; readonly opened_count: Long };
  readonly revisions: { readonly name: string; readonly number: Long };
  readonly retention_state: {
    readonly id: number;
    readonly ran_at: LongOrNull;
    readonly as_of: LongOrNull;
  };
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly applied_at: Long;
  };
}
