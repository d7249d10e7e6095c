import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import type { SecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import type { TrustedProxies } from "@wfh/server/server/http/trusted-proxies.ts";
import type { Log } from "@wfh/server/server/log.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Store } from "@wfh/server/store/store.ts";
import type { Access, SignedIn } from "../access/access.ts";
import type { ConsoleQueries } from "../database/console-queries.ts";
import type { LiveEvents } from "../live/live-views.ts";
import { formatDay } from "../reports/report-span.ts";
import type { FormChoice } from "../reports/report-types.ts";
import type { Reports } from "../reports/reports.ts";
import { withQuery } from "./data-table.ts";
import type { Health } from "./health.ts";
import { describeSpan, offeredPeriods, type Period } from "./period.ts";
import { findZone, readZone, type Zone } from "./zone.ts";

/** Collaborators of the pages. */
export interface PageDeps {
  readonly config: Pick<Config, "operatorPage" | "baseUrl">;
  /** Finds the scheme of a request. */
  readonly proxies: Pick<TrustedProxies, "schemeOf">;
  readonly access: Access;
  readonly reports: Reports;
  readonly health: Health;
  readonly live: LiveEvents;
  readonly store: Pick<Store, "readiness" | "nodeCount" | "queuedRows">;
  readonly log: Log;
  readonly secretKeys: SecretKeys;
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
  /** ID of the form that the query chooses, "" for none; null for all of the operator. */
  readonly form: string | null;
  /** The forms that the page is about: the chosen one, else all of the operator. */
  readonly forms: FormChoice;
  readonly zone: Zone;
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

/**
 * Reads what all pages have in their queries.
 *
 * @throws {PageRefusal} for what cannot be read, {Fault} for a form that the operator may not see.
 */
export async function readContext(
  request: IncomingRequest,
  deps: PageDeps,
  signedIn: SignedIn,
): Promise<PageContext> {
  const { path, query } = request.head;
  const asked = new URLSearchParams(query);
  const { operator } = signedIn;
  const form = readForm(asked);
  if (form !== null) await deps.access.checkForm(request, operator, form);
  const forms = form === null ? operator.forms : [form];
  const chosen = asked.get("zone");
  const zone = chosen === null ? readZone(request) : findZone(chosen);
  if (zone === null) {
    const fix = "Write a name as in Europe/Berlin, or UTC.";
    throw new PageRefusal(400, `There is no time zone “${chosen}”.`, fix);
  }
  return { deps, request, path, asked, signedIn, nowMs: deps.now(), form, forms, zone };
}

function readForm(asked: URLSearchParams): string | null {
  const id = asked.get("form");
  if (id === null || id === "all") return null;
  if (id === "" || parseInt64(id) !== null) return id;
  throw new PageRefusal(400, `“${id}” is not the ID of a form.`, "Choose one from the list.");
}

/** Parses an ID in its only spelling; null for other texts. */
export function parseInt64(text: string): bigint | null {
  const id = /^-?\d{1,19}$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : null;
  return String(id) === text ? id : null;
}

/** Declared forms, by ID. */
export type DeclaredForms = ReadonlyMap<string, Form>;

/** Reads the declared forms that an operator may see. */
export async function readDeclaredForms({ deps, signedIn }: PageContext): Promise<DeclaredForms> {
  const { administration } = await deps.open();
  const { forms } = signedIn.operator;
  const declared = await administration.listForms();
  return new Map(
    declared
      .map((form) => [String(form.id), form] as const)
      .filter(([id]) => forms?.includes(id) ?? true),
  );
}

/** A form for people: its name where it has one, with invisible characters escaped. */
export function describeForm(id: string, declared: DeclaredForms): string {
  if (id === "") return "no form";
  return toPrintable(declared.get(id)?.name || `Form ${id}`);
}

/** A field in which a form is chosen, of those that are declared and of others. */
export function renderFormField(
  { form }: PageContext,
  declared: DeclaredForms,
  others: readonly string[] = [],
): Markup {
  const ids = new Set([...others, ...declared.keys(), ...(form === null ? [] : [form])]);
  const options = [...ids].map(
    (id) =>
      html`<option value="${id}"${id === form && html` selected`}>${describeForm(id, declared)}</option>`,
  );
  return html`<label>Form <select name="form"><option value="all">All forms</option>${options}</select></label>`;
}

/** A heading with the choice of a period, and of other fields that filter what follows. */
export function renderPeriodHeading(
  heading: Markup,
  { asked }: PageContext,
  { name, span }: Period,
  fields: Content,
): Markup {
  const links = Object.entries(offeredPeriods).map(
    ([offered, [title]]) =>
      html`<li><a href="${withQuery(asked, { period: offered, from: null, to: null })}"${offered === name && html` aria-current="true"`}>${title}</a></li>`,
  );
  return html`<div class="heading"><div>${heading}<p class="note">${describeSpan(span)} (UTC)</p></div>
    <nav class="periods" aria-label="Period"><ul>${links}</ul></nav></div>
    ${renderFilter(html`${fields}<label>From <input type="date" name="from" value="${formatDay(span.fromDay)}"></label>
    <label>To <input type="date" name="to" value="${formatDay(span.toDay)}"></label>`)}`;
}

/** A form whose fields filter the page. */
export function renderFilter(fields: Content, button = "Show"): Markup {
  return html`<form class="filter" method="get">${fields}<button type="submit">${button}</button></form>`;
}
