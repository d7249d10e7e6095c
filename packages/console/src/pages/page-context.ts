import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import type { Asset } from "@wfh/server/metadata/assets/bundle.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import type { Log } from "@wfh/server/server/log.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Store } from "@wfh/server/store/store.ts";
import type { Access, SignedIn } from "../access/access.ts";
import type { ConsoleQueries } from "../database/console-queries.ts";
import type { LiveEvents } from "../live/live-events.ts";
import { formatDay, SpanError } from "../reports/report-span.ts";
import type { CountedValue, FormChoice } from "../reports/report-types.ts";
import type { Reports } from "../reports/reports.ts";
import { type AnyTable, withQuery } from "./data-table.ts";
import type { Health } from "./health.ts";
import { renderNotice } from "./layout.ts";
import { describeSpan, type Period, periodNames, readPeriod, usualPeriod } from "./period.ts";

/** Collaborators of the pages. */
export interface PageDeps {
  readonly config: Pick<Config, "operatorPage" | "baseUrl">;
  readonly access: Access;
  readonly reports: Reports;
  readonly health: Health;
  readonly live: LiveEvents;
  readonly store: Pick<Store, "readiness" | "nodeCount" | "queuedRows">;
  readonly log: Log;
  /** Counters of the failed log-ins of an account. */
  readonly attemptKeysOf: (userName: string) => readonly string[];
  /** Queries of the database, which is opened with the first page. */
  readonly open: () => Promise<ConsoleQueries>;
  /** UTC, milliseconds. */
  readonly now: () => number;
}

/** A request for a page by an operator who may see it. */
export interface PageContext {
  readonly deps: PageDeps;
  readonly request: IncomingRequest;
  readonly path: string;
  readonly asked: URLSearchParams;
  readonly signedIn: SignedIn;
  readonly nowMs: number;
}

/** Content of a page, with the tables that can be exported from it. */
export interface PageContent {
  readonly title: string;
  readonly main: Markup;
  readonly tables?: readonly AnyTable[];
  readonly status?: number;
  readonly script?: Asset;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** A request that is refused with a page of its own. */
export class PageRefusal extends Error {
  readonly status: number;
  readonly fix: string;

  /**
   * @param message one sentence: what is wrong.
   * @param fix one sentence: what to do.
   */
  constructor(status: number, message: string, fix: string) {
    super(message);
    this.status = status;
    this.fix = fix;
  }
}

/** Names of the forms that an operator may see, by ID. */
export type FormNames = ReadonlyMap<string, string>;

/** Names of forms of the database, as far as the operator may see them. */
export function namesOf(forms: readonly Form[], { operator }: SignedIn): FormNames {
  const seen = forms.filter(({ id }) => operator.forms?.includes(String(id)) !== false);
  return new Map(seen.map(({ id, name }) => [String(id), name]));
}

/** A form for people: its name where it has one, with invisible characters escaped. */
export function describeForm(id: string, names: FormNames): string {
  if (id === "") return "no form";
  const name = names.get(id);
  return name === undefined || name === "" ? `Form ${id}` : toPrintable(name);
}

/** Choices of a form: those that are known or have page requests. */
export function formOptions(
  names: FormNames,
  counts: readonly CountedValue[],
): readonly (readonly [id: string, title: string])[] {
  const ids = new Set([...counts.map(({ value }) => value), ...names.keys()]);
  return [...ids].map((id) => [id, describeForm(id, names)]);
}

/**
 * Reads the form that a query chooses, within those of the operator; null for all of them.
 *
 * @throws {PageRefusal} for what is no ID, {Fault} for a form that the operator may not see.
 */
export async function readForm(
  { asked, deps, request, signedIn }: PageContext,
  member: string,
): Promise<string | null> {
  const id = asked.get(member);
  if (id === null || id === "all") return null;
  if (id !== "" && (!/^-?\d{1,19}$/.test(id) || String(BigInt.asIntN(64, BigInt(id))) !== id)) {
    throw new PageRefusal(400, `“${id}” is not the ID of a form.`, "Choose one from the list.");
  }
  await deps.access.checkForm(request, signedIn.operator, id);
  return id;
}

/** The forms that reports are about: the chosen one, else all of the operator. */
export function choiceOf(form: string | null, { operator }: SignedIn): FormChoice {
  return form === null ? operator.forms : [form];
}

/** Reads the period of a page; what cannot be read becomes a notice. */
export function readPeriodOrUsual({ asked, nowMs }: PageContext): {
  readonly period: Period;
  readonly notice: Markup | false;
} {
  try {
    return { period: readPeriod(asked, nowMs), notice: false };
  } catch (cause) {
    if (!(cause instanceof SpanError)) throw cause;
    const fix = "Choose other days. The last 30 days are shown below.";
    return { period: usualPeriod(nowMs), notice: renderNotice("warning", cause.message, fix) };
  }
}

/** A field in which a form is chosen. */
export function renderFormField(
  member: string,
  chosen: string,
  options: readonly (readonly [id: string, title: string])[],
): Markup {
  return html`<label>Form <select name="${member}">${options.map(([id, title]) => html`<option value="${id}"${id === chosen && html` selected`}>${title}</option>`)}</select></label>`;
}

/** A heading with the choice of a period, and of other fields that filter what follows. */
export function renderPeriodHeading(
  heading: Markup,
  { asked }: Pick<PageContext, "asked">,
  period: Period,
  fields?: Content,
): Markup {
  const links = Object.entries(periodNames).map(
    ([name, text]) =>
      html`<li><a href="${withQuery(asked, { period: name, from: null, to: null })}"${name === period.name && html` aria-current="true"`}>${text}</a></li>`,
  );
  const { fromDay, toDay } = period.span;
  return html`<div class="heading"><div>${heading}<p class="note">${describeSpan(period.span)} (UTC)${period.unit === "hour" && "; the chart has the last 24 hours"}</p></div>
    <nav class="periods" aria-label="Period"><ul>${links}</ul></nav></div>
    ${renderFilter(html`${fields}<label>From <input type="date" name="from" value="${formatDay(fromDay)}"></label>
    <label>To <input type="date" name="to" value="${formatDay(toDay)}"></label>`)}`;
}

/** A form whose fields filter the page. */
export function renderFilter(fields: Content, button = "Show"): Markup {
  return html`<form class="filter" method="get">${fields}<button type="submit">${button}</button></form>`;
}
