import { toPrintable } from "@wfh/server/lib/printable.ts";
import type { Asset } from "@wfh/server/metadata/assets/bundle.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { type Page, renderDocument } from "@wfh/server/metadata/pages/layout.ts";
import { csrfField } from "../access/access.ts";
import { operatorPath } from "./operator-places.ts";
import { operatorStyle } from "./operator-style.ts";

/** Pages of the navigation, by their addresses below the first one. */
const places = {
  "": "Overview",
  form: "Forms",
  live: "Live",
  accounts: "Accounts",
  events: "Events",
} as const;

/** Who sees a page, and what it has to let them log out. */
export interface PageReader {
  readonly name: string;
  readonly role: string;
  readonly csrfToken: string;
  /** True where a proxy logs them in: there is no session here that could end. */
  readonly isByProxy: boolean;
}

/** Differences between pages of operators. */
export interface OperatorPageOptions {
  readonly title: string;
  /** Path of the page. */
  readonly path: string;
  /** null on a page for those who have not logged in. */
  readonly reader: PageReader | null;
  readonly main: Markup;
  readonly script?: Asset | undefined;
}

/** The address of a page of operators, relative to that of another, so that any prefix works. */
export function linkTo(place: string, from: string): string {
  const up = from === operatorPath ? "./" : "../";
  return `${up}${operatorPath.slice(1)}${place === "" ? "" : `/${place}`}`;
}

/** A whole page of operators. */
export function renderOperatorPage(options: OperatorPageOptions): Page {
  const { title, path, reader, main, script } = options;
  return renderDocument({
    title: `${title} - Web Forms Helper`,
    description: "For operators of this server.",
    root: linkTo("", path),
    header: reader !== null && renderHeader(reader, path),
    main,
    footer:
      "Days and hours of reports are those of UTC; times of single events are in the zone that their page names.",
    style: operatorStyle,
    script,
    sendsOrigin: true,
  });
}

function renderHeader(reader: PageReader, path: string): Content {
  const { name, role, csrfToken, isByProxy } = reader;
  const current = path.slice(operatorPath.length + 1);
  const section = current === "account" ? "accounts" : current;
  const links = Object.entries(places).map(
    ([place, title]) =>
      html`<li><a href="${linkTo(place, path)}"${place === section && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav class="places" aria-label="Operator’s pages"><ul>${links}</ul></nav>
    <form class="reader" method="post" action="${linkTo("log-out", path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}"><span><span class="unseen">Logged in as </span>${toPrintable(name)} <small>${role}</small></span>${!isByProxy && html`<button type="submit">Log out</button>`}</form>`;
}

/** A notice: what happened, and what to do; invisible characters of a text are escaped. */
export function renderNotice(
  level: "problem" | "warning" | "done",
  text: Content,
  fix?: Content,
): Markup {
  return html`<div class="notice ${level}" role="${level === "done" ? "status" : "alert"}"><p>${typeof text === "string" ? toPrintable(text) : text}</p>${fix !== undefined && html`<p class="fix">${fix}</p>`}</div>`;
}

/** An empty state: what would be here, and the line to copy that fills it. */
export function renderEmpty(text: Content, line?: string): Markup {
  return html`<div class="empty"><p>${text}</p>${line !== undefined && html`<pre tabindex="0" role="group" aria-label="Line to copy"><code>${line}</code></pre>`}</div>`;
}
