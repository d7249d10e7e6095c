import type { ColumnType, Generated } from "kysely";
import type { LogInEventName } from "../domain/log-in/audit.ts";
import type { Remembering, SameSite } from "../domain/log-in/form.ts";
import type { SessionEnd } from "../domain/log-in/sessions/session.ts";

/** An id, a count, or a time in UTC milliseconds. */
type Long = ColumnType<bigint, bigint, bigint>;
type LongOrNull = ColumnType<bigint | null, bigint | null, bigint | null>;
/** SQLite keeps 0 and 1. */
type Flag = ColumnType<boolean | bigint, boolean, boolean>;
type Text = ColumnType<string, string, string>;
type TextOrNull = ColumnType<string | null, string | null, string | null>;

/** A row of `accounts` (decision 0021). */
export interface AccountRow {
  readonly record_id: Long;
  readonly contact_id: Long;
  readonly user_name: Text;
  /** What the name is known by: `foldUserName`. */
  readonly folded_name: Text;
  readonly hash: Text;
  readonly hash_form: Text;
  readonly is_enabled: Flag;
  readonly epoch: Long;
  readonly created_at: Long;
  readonly last_log_in_at: LongOrNull;
}

/** A row of `account_imports`: what the latest import said of an account (decision 0035). */
export interface AccountImportRow {
  readonly record_id: Long;
  /** Of the hash as the file had it, under a key of the server. */
  readonly fingerprint: Text;
  /** null where the file did not say. */
  readonly is_enabled: ColumnType<boolean | bigint | null, boolean | null, boolean | null>;
  /** Whether a password was set here since. */
  readonly is_password_ours: Flag;
  readonly imported_at: Long;
}

/** A row of `sessions` (decision 0024); digests are SHA-256 in base64url. */
export interface SessionRow {
  readonly id: Generated<bigint>;
  readonly selector: Text;
  readonly record_id: Long;
  readonly contact_id: Long;
  readonly application_instance_id: LongOrNull;
  readonly origin: TextOrNull;
  readonly remembering: ColumnType<Remembering, Remembering, never>;
  readonly browser: TextOrNull;
  readonly generation: Long;
  readonly current_hash: Text;
  readonly previous_hash: TextOrNull;
  readonly previous_until: LongOrNull;
  readonly pending_hash: TextOrNull;
  /** The next validator itself, sealed with a key that is not in the database. */
  readonly pending_box: TextOrNull;
  /** Separated by blanks, the latest first. */
  readonly retired_hashes: Text;
  readonly created_at: Long;
  readonly rotated_at: Long;
  readonly used_at: Long;
  readonly idle_until: Long;
  readonly absolute_until: Long;
  /** That of the account when it logged in. */
  readonly epoch: Long;
  readonly ended_at: LongOrNull;
  readonly end_reason: ColumnType<SessionEnd | null, SessionEnd | null, SessionEnd | null>;
}

/** A row of `log_in_counters`: the attempts on one key (decision 0023). */
export interface CounterRow {
  readonly key: Text;
  /** Since the last success. */
  readonly attempts: Long;
  readonly window_started_at: Long;
  readonly window_attempts: Long;
  readonly blocked_until: Long;
  /** When the latest attempt was allowed. */
  readonly latest_at: Long;
}

/** A row of `log_in_events`: one line of the audit (decision 0026). */
export interface LogInEventRow {
  readonly id: Generated<bigint>;
  readonly at: Long;
  readonly name: ColumnType<LogInEventName, LogInEventName, never>;
  readonly reason: TextOrNull;
  readonly record_id: LongOrNull;
  readonly session_id: LongOrNull;
  readonly network: TextOrNull;
  readonly form_id: LongOrNull;
  readonly application_instance_id: LongOrNull;
  readonly request_id: TextOrNull;
}

/** The tables of accounts, forms and log-ins, for Kysely. */
export interface LogInTables {
  readonly accounts: AccountRow;
  readonly account_imports: AccountImportRow;
  readonly application_instances: {
    readonly id: Long;
    readonly remembering: ColumnType<Remembering, Remembering, Remembering>;
    readonly same_site: ColumnType<SameSite, SameSite, SameSite>;
  };
  readonly forms: {
    readonly id: Long;
    readonly name: Text;
    readonly application_instance_id: Long;
    readonly allows_auto_log_in: Flag;
  };
  readonly form_origins: {
    readonly form_id: Long;
    readonly origin: Text;
  };
  readonly sessions: SessionRow;
  readonly log_in_counters: CounterRow;
  readonly log_in_events: LogInEventRow;
}
