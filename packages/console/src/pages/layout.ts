import { toPrintable } from "@wfh/server/lib/printable.ts";
import type { Asset } from "@wfh/server/metadata/assets/bundle.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { type Page, renderDocument } from "@wfh/server/metadata/pages/layout.ts";
import { csrfField, type SignedIn } from "../access/access.ts";
import type { AnyTable } from "./data-table.ts";
import { operatorPath } from "./operator-places.ts";
import { operatorStyle } from "./operator-style.ts";

/** Pages of the navigation, by their addresses below the first one. */
const places = { "": "Overview", live: "Live", accounts: "Accounts", events: "Events" } as const;

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

/** The address of a page of operators, relative to that of another, so that any prefix works. */
export function linkTo(place: string, from: string): string {
  const up = from === operatorPath ? "./" : "../";
  return `${up}${operatorPath.slice(1)}${place === "" ? "" : `/${place}`}`;
}

/**
 * A whole page of operators.
 *
 * @param path its own path.
 * @param signedIn null on a page for those who have not logged in.
 */
export function renderOperatorPage(
  { title, main, script }: PageContent,
  path: string,
  signedIn: SignedIn | null,
): Page {
  return renderDocument({
    title: `${title} - Web Forms Helper`,
    description: "For operators of this server.",
    root: linkTo("", path),
    header: signedIn !== null && renderHeader(signedIn, path),
    main,
    footer:
      "Days and hours of reports are those of UTC; times of single events are in the zone that their page names.",
    style: operatorStyle,
    script,
    sendsOrigin: true,
  });
}

function renderHeader({ operator, csrfToken, isByProxy }: SignedIn, path: string): Content {
  const current = path.slice(operatorPath.length + 1);
  const section = current === "account" ? "accounts" : current;
  const links = Object.entries(places).map(
    ([place, title]) =>
      html`<li><a href="${linkTo(place, path)}"${place === section && html` aria-current="page"`}>${title}</a></li>`,
  );
  return html`<nav class="places" aria-label="Operator’s pages"><ul>${links}</ul></nav>
    <form class="reader" method="post" action="${linkTo("log-out", path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}"><span><span class="unseen">Logged in as </span>${toPrintable(operator.name)} <small>${operator.role}</small></span>${!isByProxy && html`<button type="submit">Log out</button>`}</form>`;
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
export function renderEmpty(text: Content, line: string): Markup {
  return html`<div class="empty"><p>${text}</p><pre tabindex="0" role="group" aria-label="Line to copy"><code>${line}</code></pre></div>`;
}

/** One number of the overview, rated and explained. */
export interface Card {
  readonly title: string;
  readonly value: string;
  readonly mark?: false | { readonly level: "ok" | "warning" | "problem"; readonly text: string };
  readonly note: Content;
}

/** Renders a card of the overview. */
export function renderCard({ title, value, mark = false, note }: Card): Markup {
  return html`<section class="card"><h2>${title}</h2><p class="value">${value}</p>${mark !== false && html`<p class="mark ${mark.level}">${mark.text}</p>`}<p class="note">${note}</p></section>`;
}
