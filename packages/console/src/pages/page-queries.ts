import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import type { LogInEvent } from "@wfh/server/domain/log-in/audit.ts";
import { accountColumns } from "@wfh/server/store/log-in/accounts.ts";
import { isLive } from "@wfh/server/store/log-in/sessions.ts";
import { firstRow, type SqlConnection, statement } from "@wfh/server/store/sql.ts";

/** Which events a page lists: the latest of a span of UTC milliseconds, its end exclusive. */
export interface EventSearch {
  readonly fromMs: number;
  readonly toMs: number;
  /** null for all. */
  readonly name: string | null;
  readonly recordId: bigint | null;
  /** Name of an operator or a token, its ASCII letters in any case. */
  readonly operator: string | null;
  readonly forms: readonly string[] | null;
  readonly max: number;
}

/** An event with its number, and the user name of its account where that still exists. */
export interface ShownEvent extends Omit<LogInEvent, "traceId"> {
  readonly id: bigint;
  readonly userName: string | null;
}

/** Events of one name on one UTC day. */
export interface CountedEvents {
  readonly day: number;
  readonly name: string;
  readonly events: number;
}

const selectAccounts = `
  select ${accountColumns}, hash_form as "hashForm", created_at as "createdAtMs", last_log_in_at as "lastLogInAtMs",
    (select count(*) from sessions where sessions.record_id = accounts.record_id and ${isLive}) as sessions
  from accounts`;

const searchAccounts = statement<
  { pattern: string; text: string; at: number; max: number },
  ListedAccount
>(`${selectAccounts}
  where folded_name like :pattern escape '!' or cast(record_id as text) = :text
  order by folded_name limit :max`);

const findAccount = statement<{ id: bigint; at: number }, ListedAccount>(
  `${selectAccounts} where record_id = :id`,
);

/** Conditions that filter events; what is null or empty filters nothing. */
interface EventGiven {
  readonly from: number;
  readonly to: number;
  readonly areAllForms: boolean;
  readonly forms: readonly bigint[];
}

const inSpan = `at >= :from and at < :to
    and (cast(:areAllForms as boolean) or form_id = any(:forms))`;

const findEvents = statement<
  EventGiven & {
    name: string | null;
    recordId: bigint | null;
    operator: string | null;
    max: number;
  },
  ShownEvent
>(`
  select id, at as "atMs", name, reason, record_id as "accountId", session_id as "sessionId", network,
    form_id as "formId", application_instance_id as "instanceId", request_id as "requestId", operator,
    (select user_name from accounts where accounts.record_id = log_in_events.record_id) as "userName"
  from log_in_events where ${inSpan}
    and (cast(:name as text) is null or name = :name)
    and (cast(:recordId as bigint) is null or record_id = :recordId)
    and (cast(:operator as text) is null or lower(operator) = lower(:operator))
  order by at desc, id desc limit :max`);

const countEvents = statement<EventGiven & { names: readonly string[] }, CountedEvents>(`
  select cast(at / 86400000 as bigint) as day, name, count(*) as events
  from log_in_events where ${inSpan} and name = any(:names)
    and coalesce(reason, '') <> 'operators' group by 1, 2`);

/** Queries of the operator's pages: accounts and events, as they are searched and counted there. */
export class PageQueries {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  /**
   * Accounts by their names.
   *
   * @param text part of a user name, folded, or a whole record ID; `""` for all.
   */
  searchAccounts(text: string, nowMs: number, max: number): Promise<readonly ListedAccount[]> {
    const pattern = `%${text.replace(/[!%_]/g, "!$&")}%`;
    return this.#database.rows(searchAccounts, { pattern, text, at: nowMs, max });
  }

  async findAccountById(id: bigint, nowMs: number): Promise<ListedAccount | null> {
    return (await firstRow(this.#database, findAccount, { id, at: nowMs })) ?? null;
  }

  /** The latest events of a search, the latest first. */
  async listEvents(search: EventSearch): Promise<readonly ShownEvent[]> {
    const { name, recordId, operator, max } = search;
    // PostgreSQL has no such text, and would refuse it with an error.
    if (`${name}${operator}`.includes("\0")) return [];
    return this.#database.rows(findEvents, { ...toGiven(search), name, recordId, operator, max });
  }

  /** Counts events by UTC day and name, without blocks of networks for operators. */
  countEvents(
    search: Pick<EventSearch, "fromMs" | "toMs" | "forms">,
    names: readonly string[],
  ): Promise<readonly CountedEvents[]> {
    return this.#database.rows(countEvents, { ...toGiven(search), names });
  }
}

/** The events of an operator's forms; those without a form are for operators of all forms. */
function toGiven({ fromMs, toMs, forms }: Pick<EventSearch, "fromMs" | "toMs" | "forms">) {
  const ids = (forms ?? []).filter((id) => id !== "").map(BigInt);
  return { from: fromMs, to: toMs, areAllForms: forms === null, forms: ids };
}
