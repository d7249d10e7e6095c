import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { selectListedAccounts } from "@wfh/server/store/admin/administration.ts";
import { firstRow, type SqlConnection, statement } from "@wfh/server/store/sql.ts";

/** Events of one name on one UTC day. */
export interface CountedEvents {
  readonly day: number;
  readonly name: string;
  readonly events: number;
}

const searchAccounts = statement<
  { pattern: string; text: string; at: number; max: number },
  ListedAccount
>(`${selectListedAccounts}
  where folded_name like :pattern escape '!' or cast(record_id as text) = :text
  order by folded_name limit :max`);
const findAccount = statement<{ id: bigint; at: number }, ListedAccount>(
  `${selectListedAccounts} where record_id = :id`,
);
const findUserNames = statement<{ ids: readonly bigint[] }, { id: bigint; userName: string }>(
  'select record_id as id, user_name as "userName" from accounts where record_id = any(:ids)',
);
const countEvents = statement<
  {
    from: number;
    to: number;
    areAllForms: boolean;
    forms: readonly bigint[];
    names: readonly string[];
  },
  CountedEvents
>(`
  select cast(at / 86400000 as bigint) as day, name, count(*) as events
  from log_in_events where at >= :from and at < :to and name = any(:names)
    and (cast(:areAllForms as boolean) or form_id = any(:forms))
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

  /** User names of accounts by their record IDs, of those that still exist. */
  async findUserNames(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
    const rows = await this.#database.rows(findUserNames, { ids });
    return new Map(rows.map(({ id, userName }) => [id, userName]));
  }

  /**
   * Counts events of a span of UTC milliseconds, its end exclusive, by UTC day and name, without
   * blocks of networks for operators.
   *
   * @param forms null also for events without a form.
   */
  countEvents(
    { fromMs: from, toMs: to }: { readonly fromMs: number; readonly toMs: number },
    forms: readonly bigint[] | null,
    names: readonly string[],
  ): Promise<readonly CountedEvents[]> {
    const chosen = { areAllForms: forms === null, forms: forms ?? [] };
    return this.#database.rows(countEvents, { from, to, ...chosen, names });
  }
}
