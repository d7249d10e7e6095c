import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { cookieValues } from "@wfh/server/server/log-in/session-cookie.ts";
import type { Column } from "./data-table.ts";

const cookieName = "wfh-zone";
/** Time for which a browser keeps the choice, in seconds: a year. */
const maxAgeS = 31_536_000;

/** The zone in which an operator reads the times of single events. */
export interface Zone {
  readonly name: string;
  /** Writes an instant (UTC, milliseconds), as in `2026-11-26 17:20:05`. */
  readonly format: (instantMs: number) => string;
}

/** The zone of a name; null for an unknown name. */
export function findZone(name: string): Zone | null {
  try {
    const styles = { dateStyle: "short", timeStyle: "medium" } as const;
    // Swedish writes dates as ISO 8601 does.
    const format = new Intl.DateTimeFormat("sv", { timeZone: name, ...styles });
    return { name, format: (ms) => format.format(ms) };
  } catch {
    return null;
  }
}

/** The zone that an operator chose earlier; UTC without one. */
export function readZone({ head }: IncomingRequest): Zone {
  const [kept = "UTC"] = cookieValues(head, cookieName);
  return findZone(kept) ?? (findZone("UTC") as Zone);
}

/** Columns of instants (UTC, milliseconds): in the zone on the page, in UTC (ISO 8601) as CSV. */
export function timeColumn<Row>(
  { name, format }: Zone,
  { id, title }: Pick<Column<Row>, "id" | "title">,
  instantOf: (row: Row) => number | null,
): Column<Row> {
  return {
    id,
    title: `${title} (${name})`,
    value: (row) => {
      const ms = instantOf(row);
      return ms === null ? null : new Date(ms).toISOString();
    },
    show: (row) => {
      const ms = instantOf(row);
      return ms === null ? "never" : html`<span class="whole">${format(ms)}</span>`;
    },
  };
}

/** The Set-Cookie header that keeps a choice. */
export function renderZoneCookie({ name }: Zone): string {
  return `${cookieName}=${name}; Path=/; Max-Age=${maxAgeS}; SameSite=Strict`;
}

/** The field in which the zone is chosen, for a form that loads the page again. */
export function renderZoneField({ name }: Zone): Markup {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  return html`<label>Time zone <input name="zone" value="${name}" list="zones" spellcheck="false" autocomplete="off"></label><datalist id="zones">${zones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>`;
}
