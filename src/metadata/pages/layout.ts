import { pageStyle } from "../assets/page-style.ts";
import { html, type Markup, textOf } from "./html.ts";

/** A page with the texts in it that a content security policy names by their hashes. */
export interface Page {
  /** The whole document. */
  readonly html: string;
  /** What stands in its style element. */
  readonly style: string;
  /** What stands in its script element; undefined where it has none. */
  readonly script: string | undefined;
}

/** A link on a page. */
export interface PageLink {
  readonly text: string;
  /** Relative to the page, so that it holds behind a proxy that puts something before the path. */
  readonly href: string;
}

/** What is particular to one page. */
export interface PageOptions {
  readonly title: string;
  /** One sentence for search results. */
  readonly description: string;
  /** Address of the root page as seen from this one. */
  readonly root: string;
  /** Pages above this one, behind the root page, and at last this one. */
  readonly trail: readonly PageLink[];
  readonly main: Markup;
  readonly script?: string;
}

/** What stands for the product: a form with a place in it. */
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><rect x="2" y="2" width="20" height="20" rx="6" fill="#0f7a63"/><path d="M7 9h10M7 13h6" stroke="#fff" stroke-width="2" stroke-linecap="round"/><circle cx="16.5" cy="15.5" r="2" fill="#fff"/></svg>`;

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='2' y='2' width='20' height='20' rx='6' fill='%230f7a63'/%3E%3Cpath d='M7 9h10M7 13h6' stroke='%23fff' stroke-width='2' stroke-linecap='round'/%3E%3Ccircle cx='16.5' cy='15.5' r='2' fill='%23fff'/%3E%3C/svg%3E";

/** Puts a page together: complete without scripts, and without any resource beside itself. */
export function renderPage({ title, description, root, trail, main, script }: PageOptions): Page {
  const document = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <meta name="description" content="${description}">
    <meta name="robots" content="noindex">
    <link rel="icon" href="${icon}">
    <style>`;
  const body = html`</head>
    <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="top"><div class="wide">
    <a class="brand" href="${root}">${mark}Web Forms Helper</a>
    ${trail.length > 0 && renderTrail(trail)}
    </div></header>
    <main class="wide" id="content">
    ${main}
    </main>
    <footer class="foot"><div class="wide">Web Forms Helper answers in the place of a .NET back end for web forms: the same addresses, the same messages.${script !== undefined && html`<p class="unseen" id="spoken" role="status"></p>`}</div></footer>
    `;
  const end = script === undefined ? "" : `<script>${script}</script>\n`;
  return {
    html: `${textOf(document)}${pageStyle}</style>\n${textOf(body)}${end}</body>\n</html>\n`,
    style: pageStyle,
    script,
  };
}

function renderTrail(trail: readonly PageLink[]): Markup {
  const steps = trail.map(({ text, href }, index) =>
    index === trail.length - 1
      ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${href}">${text}</a></li>`,
  );
  return html`<nav aria-label="Breadcrumb"><ol class="trail">${steps}</ol></nav>`;
}
