import { type Asset, pageScript, pageStyle } from "../assets/bundle.ts";
import { html, inlineAsset, type Markup, textOf } from "../markup.ts";

/** A page, with the texts in it that its content security policy allows by their hashes. */
export interface Page {
  /** The whole document. */
  readonly html: string;
  readonly style: Asset;
  /** Undefined for a page without a script. */
  readonly script: Asset | undefined;
}

/** A link on a page. */
export interface PageLink {
  readonly text: string;
  /** Relative to the page, so that it also holds behind a proxy that adds a path. */
  readonly href: string;
}

/** What differs between pages. */
export interface PageOptions {
  readonly title: string;
  /** One sentence for search results. */
  readonly description: string;
  /** Address of the root page, relative to this one. */
  readonly root: string;
  /** The pages between the root page and this one, and this one. */
  readonly trail: readonly PageLink[];
  readonly main: Markup;
  /** True for a page with code blocks or a test form. */
  readonly hasScript: boolean;
}

/** The icon: a form with a place in it. */
const icon = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><rect x="2" y="2" width="20" height="20" rx="6" fill="#0f7a63"/><path d="M7 9h10M7 13h6" stroke="#fff" stroke-width="2" stroke-linecap="round"/><circle cx="16.5" cy="15.5" r="2" fill="#fff"/></svg>`;
const iconUrl = `data:image/svg+xml,${textOf(icon).replace(/[<>#"]/g, encodeURIComponent)}`;

/** A whole page. It needs no other resource, and is complete without scripts. */
export function renderPage({
  title,
  description,
  root,
  trail,
  main,
  hasScript,
}: PageOptions): Page {
  const document = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <meta name="description" content="${description}">
    <meta name="robots" content="noindex">
    <link rel="icon" href="${iconUrl}">
    <style>${inlineAsset(pageStyle)}</style>
    </head>
    <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="top"><div class="wide">
    <a class="brand" href="${root}">${icon}Web Forms Helper</a>
    ${trail.length > 0 && renderTrail(trail)}
    </div></header>
    <main class="wide" id="content">
    ${main}
    </main>
    <footer class="foot"><div class="wide">Web Forms Helper is a drop-in replacement for a .NET back end of web forms: same addresses, same messages.${hasScript && html`<p class="unseen" id="spoken" role="status"></p>`}</div></footer>
    ${hasScript && html`<script>${inlineAsset(pageScript)}</script>`}
    </body>
    </html>
    `;
  return {
    html: textOf(document),
    style: pageStyle,
    script: hasScript ? pageScript : undefined,
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
