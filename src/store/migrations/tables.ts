import type { ColumnType, Generated } from "kysely";
import type { LogInTables } from "../log-in-schema.ts";

/** SQLite hands every integer out as bigint, PostgreSQL only the wide ones. */
type Int32 = ColumnType<number | bigint | null, number | null, number | null>;
/** SQLite keeps 0 and 1. */
type Flag = ColumnType<boolean | bigint | null, never, never>;
type Long = ColumnType<bigint | null, bigint | null, bigint | null>;

/** A row of `page_requests`: the fields of contract §4.1 as given, null where absent (decision 0015). */
export interface PageRequestRow {
  readonly id: Generated<bigint>;
  readonly request_id: string;
  /** UTC, milliseconds. */
  readonly arrived_at: ColumnType<bigint, bigint, bigint>;
  readonly form_id: Long;
  readonly trans_id: Long;
  readonly page_url: string | null;
  readonly application_instance_id: Int32;
  readonly is_authenticated: Flag;
  readonly contact_id: Long;
  readonly screen_width: Int32;
  readonly screen_height: Int32;
  readonly browser_user_agent_id: Long;
  readonly cross_app_session_id: Long;
  /** To the letter. */
  readonly session_date: string | null;
  /** UTC, milliseconds; null where the text names no instant. */
  readonly session_date_at: Long;
  readonly conversion_hit_id: Long;
  readonly override_request_method_id: Int32;
  /** Masked address of the sender, for example `192.0.2.0/24`. */
  readonly network: string | null;
  readonly user_agent: string | null;
  /** Our own finding about the visitor's session; null where nobody looked. */
  readonly session_id: Long;
  readonly visitor_contact_id: Long;
  readonly visitor_logged_in: Flag;
}

/** A row of `place_overrides` (decision 0034); city and state are null together, where the code is no place. */
export interface PlaceOverrideRow {
  readonly country_code: string;
  readonly key: string;
  readonly city: string | null;
  /** Its abbreviation, or its name where it has none. */
  readonly state: string | null;
  readonly note: string;
  /** UTC, milliseconds. */
  readonly changed_at: ColumnType<bigint, bigint, bigint>;
}

/** All tables, for Kysely. */
export interface Tables extends LogInTables {
  readonly page_requests: PageRequestRow;
  readonly place_overrides: PlaceOverrideRow;
  /** A row for each lease that is held, or was by a holder that died (decision 0046). */
  readonly leases: {
    readonly name: string;
    readonly holder: string;
    /** UTC, milliseconds. */
    readonly expires_at: ColumnType<bigint, bigint, bigint>;
  };
  /** A single row: how far retention has come (decision 0046). Both UTC, milliseconds. */
  readonly retention_state: {
    readonly id: ColumnType<number | bigint, number, never>;
    /** What the clock showed at the latest run; null before the first one. */
    readonly ran_at: Long;
    /** The latest instant that was taken for the present; null where nothing was ever stored. */
    readonly as_of: Long;
  };
  /** A number for each thing that nodes keep in memory; it grows with every change of it. */
  readonly revisions: {
    readonly name: string;
    readonly number: ColumnType<bigint, bigint, bigint>;
  };
  /** One row for each migration that was applied. */
  readonly schema_migrations: {
    readonly version: ColumnType<number | bigint, number, never>;
    readonly name: string;
    /** UTC, milliseconds. */
    readonly applied_at: ColumnType<bigint, bigint, never>;
  };
  /** A single row, written whenever a writer opens: the proof that writing is possible. */
  readonly writer_state: {
    readonly id: ColumnType<number | bigint, number, never>;
    readonly opened_count: ColumnType<bigint, bigint, bigint>;
  };
}
