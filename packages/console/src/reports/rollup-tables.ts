import { insertInto, statement } from "@wfh/server/store/sql.ts";
import {
  type CountedRow,
  type RollupName,
  type RollupRow,
  rollupNames,
  type Span,
  type StepRow,
} from "./count-rows.ts";
import { type ValueReport, valueReports } from "./report-resources.ts";
import type { CountedValue } from "./report-types.ts";

/** State of the rollups: what they have counted. */
export interface RollupState {
  /** ID of the last page request that is counted; null before the first count. */
  readonly lastId: bigint | null;
  /** Number of times that something was counted again. */
  readonly recounts: number;
  /** Last day (UTC, since 1970) whose sessions are counted; null before the first. */
  readonly sessionsUntilDay: number | null;
}

/** Statements of the state of rollups. */
export const rollupState = {
  find: statement<object, RollupState>(`
    select last_id as "lastId", recounts, sessions_until_day as "sessionsUntilDay" from report_state`),
  /** Begins to use reports: from then on deletions of page requests mark their days. */
  begin: statement("update report_state set last_id = 0 where last_id is null"),
  /** Moves the state on, unless another node was faster. */
  move: statement<RollupState & { before: bigint; recountsBefore: number }>(`
    update report_state
    set last_id = :lastId, recounts = :recounts, sessions_until_day = :sessionsUntilDay
    where last_id = :before and recounts = :recountsBefore`),
};

const columnsOfSessions = `id, arrived_at as "arrivedAtMs", cast(form_id as text) as form,
  page_url as page, kind, step,
  coalesce('c' || nullif(cross_app_session_id, 0), 't' || nullif(trans_id, 0), 's' || session_id)
    as session`;
const columnsOfValues = `referrer, user_agent as "userAgent",
  cast(application_instance_id as text) as instance, screen_width as "screenWidth",
  coalesce(visitor_logged_in, is_authenticated) as "isLoggedIn"`;
const columns = `${columnsOfSessions}, ${columnsOfValues}`;

/** Page requests of a span of arrivals after a position in it, up to an ID. */
export interface SpanOfRows extends Span {
  readonly id: bigint;
  readonly lastId: bigint;
  /** Null for all. */
  readonly form: string | null;
  readonly max: number;
}

const selectOfSpan = (selected: string) => `
  select ${selected} from page_requests
  where (arrived_at, id) > (:from, :id) and arrived_at >= :from and arrived_at < :to
    and id <= :lastId
    and (cast(:form as text) is null or coalesce(cast(form_id as text), '') = :form)
  order by arrived_at, id limit :max`;

/** Statements that read the page requests to be counted. */
export const countedRows = {
  findNext: statement<{ after: bigint; end: bigint; max: number }, CountedRow>(
    `select ${columns} from page_requests where id > :after and id <= :end order by id limit :max`,
  ),
  /** Those of a span that are counted already. */
  findOfSpan: statement<SpanOfRows, CountedRow>(selectOfSpan(columns)),
  /** The same with what is needed for sessions alone. */
  findSessionsOfSpan: statement<SpanOfRows, StepRow>(selectOfSpan(columnsOfSessions)),
  findNextArrival: statement<{ from: number }, { arrivedAtMs: number | null }>(
    `select min(arrived_at) as "arrivedAtMs" from page_requests where arrived_at >= :from`,
  ),
};

/** Statements of marked days. */
export const dayMarks = {
  list: statement<Span & { max: number }, { id: bigint; day: number }>(
    "select id, day from changed_days where day >= :from and day <= :to order by day, id limit :max",
  ),
  insert: insertInto("changed_days", { day: "number" }),
  delete: statement<{ ids: readonly bigint[] }>("delete from changed_days where id = any(:ids)"),
};

/** Statements of sessions by the steps that they reached. */
export const sessionTable = {
  insert: insertInto("report_sessions", {
    day: "number",
    form: "text",
    steps: "text",
    sessions: "number",
    page_requests: "number",
  }),
  find: statement<Span & { form: string }, { steps: string; sessions: number; rows: number }>(`
    select steps, cast(sum(sessions) as bigint) as sessions, cast(sum(page_requests) as bigint) as rows
    from report_sessions where form = :form and day >= :from and day <= :to
    group by steps order by min(day)`),
  delete: statement<Span>("delete from report_sessions where day >= :from and day <= :to"),
};

/** The forms of a report; all of them whatever the list says. */
interface Forms {
  readonly isAll: boolean;
  readonly forms: readonly string[];
}

const isChosen = "(cast(:isAll as boolean) or form = any(:forms))";

/** Days before and after whole blocks, and the blocks. */
export interface Periods {
  readonly firstFrom: number;
  readonly firstTo: number;
  readonly lastFrom: number;
  readonly lastTo: number;
  readonly blockFrom: number;
  readonly blockTo: number;
}

function nameOf(table: RollupName): string {
  return `report_${table.replaceAll("-", "_")}`;
}

/** Statements of a table; the one of hours has no values. */
function tableOf(name: RollupName) {
  const table = nameOf(name);
  const isByHour = name === "hours";
  const period = isByHour ? "hour" : "period";
  const key = isByHour ? "hour, form" : "period, form, value";
  const inSpan = `${period} >= :from and ${period} <= :to`;
  return {
    add: insertInto(
      table,
      isByHour
        ? { hour: "number", form: "text", count: "number" }
        : { period: "number", form: "text", value: "text", count: "number" },
      `on conflict (${key}) do update set count = ${table}.count + excluded.count`,
    ),
    toCells: ({ period, form, value, count }: RollupRow) =>
      isByHour ? [period, form, count] : [period, form, value, count],
    list: statement<Span, RollupRow>(
      `select ${period} as period, form, ${isByHour ? "''" : "value"} as value, count
      from ${table} where ${inSpan}`,
    ),
    deleteEmpty: statement<Span>(`delete from ${table} where ${inSpan} and count = 0`),
    /** Without the choice of all, hours of one form are found by the key alone. */
    findPeriods: statement<Span & Forms, { period: number; count: number }>(`
      select ${period} as period, cast(sum(count) as bigint) as count from ${table}
      where ${inSpan} and ${isByHour ? "form = any(:forms)" : isChosen}
      group by ${period} order by ${period}`),
  };
}

/** Statements of all tables, by their names. */
export const rollupTables = Object.fromEntries(
  rollupNames.map((name) => [name, tableOf(name)]),
) as Readonly<Record<RollupName, ReturnType<typeof tableOf>>>;

/** Finds the values, or forms, of a report that have the most page requests. */
function findMost(report: ValueReport, column: "value" | "form") {
  const select = (from: string, to: string) =>
    `select ${column}, count from ${nameOf(report)}
      where period >= :${from} and period <= :${to} and ${isChosen}`;
  return statement<Periods & Forms & { max: number }, CountedValue & { total: number }>(`
    with found as (
      select ${column} as value, cast(sum(count) as bigint) as count from (
        ${select("firstFrom", "firstTo")} union all ${select("lastFrom", "lastTo")}
        union all ${select("blockFrom", "blockTo")}
      ) as parts group by ${column}
    )
    select value, count, (select cast(sum(count) as bigint) from found) as total from found
    order by count desc, value limit :max`);
}

/** Report with the fewest values for each day and form: the one to sum up days and forms by. */
export const smallestReport = "log-ins";

/** Statements that find what reports list, by their names. */
export const findersOfMost = {
  ...(Object.fromEntries(
    valueReports.map((report) => [report, findMost(report, "value")]),
  ) as Readonly<Record<ValueReport, ReturnType<typeof findMost>>>),
  forms: findMost(smallestReport, "form"),
};
