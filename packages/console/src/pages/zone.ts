import { headerOf } from "@wfh/server/bindings/http.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { renderNotice } from "./layout.ts";
import type { PageContext } from "./page-context.ts";

const cookieName = "wfh-zone";
/** Time for which a browser keeps the choice, in seconds: a year. */
const maxAgeS = 31_536_000;

/** The zone in which an operator reads the times of single events. */
export interface Zone {
  readonly name: string;
  /** Keeps a choice that has just been made; else empty. */
  readonly headers: readonly string[];
  readonly notice: Markup | false;
}

/** Reads the zone of a query, else that of an earlier choice, else UTC. */
export function readZone({ asked, request }: PageContext): Zone {
  const chosen = asked.get("zone");
  const [, kept = "UTC"] =
    /(?:^|;\s*)wfh-zone=([\w+/-]+)/.exec(headerOf(request.head, "cookie") ?? "") ?? [];
  const earlier = isZone(kept) ? kept : "UTC";
  if (chosen === null) return { name: earlier, headers: [], notice: false };
  if (!isZone(chosen)) {
    const fix = "Write a name as in Europe/Berlin, or UTC.";
    const notice = renderNotice("warning", `There is no time zone “${chosen}”.`, fix);
    return { name: earlier, headers: [], notice };
  }
  const cookie = `${cookieName}=${chosen}; Path=/; Max-Age=${maxAgeS}; SameSite=Strict`;
  return { name: chosen, headers: ["Set-Cookie", cookie], notice: false };
}

function isZone(name: string): boolean {
  try {
    return (
      /^[A-Za-z][\w+/-]*$/.test(name) && new Intl.DateTimeFormat("sv", { timeZone: name }) !== null
    );
  } catch {
    return false;
  }
}

/** Creates the writer of instants (UTC, milliseconds) in a zone, as in `2026-11-26 17:20:05`. */
export function formatIn({ name }: Zone): (instantMs: number) => string {
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv", {
    timeZone: name,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (instantMs) => format.format(instantMs);
}

/** The field in which the zone is chosen, for a form that loads the page again. */
export function renderZoneField({ name }: Zone): Markup {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  return html`<label>Time zone <input name="zone" value="${name}" list="zones" spellcheck="false" autocomplete="off"></label><datalist id="zones">${zones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>`;
}
