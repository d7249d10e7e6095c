import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import type { Operation, RestApi, ServiceContract } from "../../contract/operation.ts";
import { restApi } from "../../contract/rest-api.ts";
import { type Asset, pageScript, pageStyle } from "../assets/bundle.ts";
import { breakable, type Content, html, inlineAsset, type Markup, textOf } from "../markup.ts";

/** A whole document, with the style and script that its content security policy allows. */
export interface Page {
  readonly html: string;
  readonly styleSource: string;
  readonly scriptSource: string | undefined;
}

/** All services, in the order of their pages. */
export const allServices = [restApi, locationHelper, ajaxEndpoint] as const;

/** Guides for those who call the server, by their addresses below that of all documents. */
const callerGuides = {
  "from-a-page": "From a web page",
  rest: "REST and OpenAPI",
  clients: "SOAP clients",
  places: "Search and check places",
  "page-requests": "Page requests",
  "log-in": "Log-in",
  reports: "Reports",
};

/** Name of a service for people. */
export function titleOf({ name }: { readonly name: string }): string {
  return name === restApi.name ? "REST API" : name;
}

/** Differences between documents. */
export interface DocumentOptions {
  readonly title: string;
  /** One sentence for search results. */
  readonly description: string;
  /** Address of the first page, relative to this one. */
  readonly root: string;
  /** Beside the name of the product. */
  readonly header: Content;
  readonly main: Markup;
  /** After the content on a narrow screen and at the side of a wide one. */
  readonly navigation?: Content;
  readonly footer: Content;
  readonly style: Asset;
  readonly script?: Asset | undefined;
  /** True for a page whose forms are sent with the Origin, which browsers else leave out. */
  readonly sendsOrigin?: true;
}

/** Differences between help pages. */
export interface PageOptions
  extends Pick<DocumentOptions, "title" | "description" | "root" | "main"> {
  /** The pages between the root page and this one, and this one, with addresses relative to it. */
  readonly trail?: Readonly<Record<string, string>>;
  /** The REST API with the resources of an extension; by default without. */
  readonly api?: RestApi | undefined;
  /** Subject of the page, marked in the list of all operations. */
  readonly current?: {
    readonly contract: RestApi | ServiceContract;
    readonly operation?: string;
  };
  /** Address of the guide that the page is, relative to the others. */
  readonly guide?: string;
  /** True for a page with code blocks or a test form. */
  readonly hasScript?: true;
}

/** The sign of the product, as SVG. */
export const icon = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><rect x="2" y="2" width="20" height="20" rx="6" fill="#0f7a63"/><path d="M7 9h10M7 13h6" stroke="#fff" stroke-width="2" stroke-linecap="round"/><circle cx="16.5" cy="15.5" r="2" fill="#fff"/></svg>`;
const iconUrl = `data:image/svg+xml,${textOf(icon).replace(/[<>#"]/g, encodeURIComponent)}`;

/** A help page. It needs no other resource, and is complete without scripts. */
export function renderPage(page: PageOptions): Page {
  const { root, trail, hasScript } = page;
  return renderDocument({
    ...page,
    header: renderTrail(Object.entries(trail ?? {})),
    navigation: renderNavigation(page),
    footer: html`Web Forms Helper is a drop-in replacement for a .NET back end of web forms: same addresses, same messages. <a href="${root}docs/">Documentation</a>${hasScript && html`<p class="unseen" id="spoken" role="status"></p>`}`,
    style: pageStyle,
    script: hasScript && pageScript,
  });
}

/** A whole document with its own style and script, which needs no other resource. */
export function renderDocument(options: DocumentOptions): Page {
  const { title, description, root, header, main, navigation, footer } = options;
  const { style, script, sendsOrigin } = options;
  const document = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <meta name="description" content="${description}">
    <meta name="robots" content="noindex">${
      sendsOrigin &&
      html`
    <meta name="referrer" content="same-origin">`
    }
    <link rel="icon" href="${iconUrl}">
    <style>${inlineAsset(style)}</style>
    </head>
    <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
    <a class="brand" href="${root}">${icon}Web Forms Helper</a>
    ${header}
    </header>
    <div class="frame">
    <main id="content">
    ${main}
    </main>
    ${navigation}
    </div>
    <footer>${footer}</footer>
    ${script && html`<script>${inlineAsset(script)}</script>`}
    </body>
    </html>
    `;
  return { html: textOf(document), styleSource: style.source, scriptSource: script?.source };
}

/** All operations and guides, after the content or, on a wide screen, at its side. */
function renderNavigation({ root, current, guide, api = restApi }: PageOptions): Markup {
  const groups = [api, locationHelper, ajaxEndpoint].map(({ name, path, operations }) => {
    const address = root + path.slice(1);
    const isHere = name === current?.contract.name;
    const links = Object.entries<Operation>(operations).map(
      ([operation, { resource }]) =>
        html`<li><a href="${address}?op=${operation}"${isHere && operation === current.operation && html` aria-current="page"`}><span>${breakable(operation)}</span>${resource !== undefined && html`<small>${resource.method}</small>`}</a></li>`,
    );
    return html`<li><a class="group" href="${address}"${isHere && current.operation === undefined && html` aria-current="page"`}>${breakable(titleOf({ name }))}</a><ul>${links}</ul></li>`;
  });
  const guides = Object.entries(callerGuides).map(
    ([address, title]) =>
      html`<li><a href="${root}docs/${address}"${address === guide && html` aria-current="page"`}>${title}</a></li>`,
  );
  const group = html`<li><a class="group" href="${root}docs/"${guide === "./" && html` aria-current="page"`}>Guides</a><ul>${guides}</ul></li>`;
  const isGuide = guide !== undefined;
  const title = isGuide ? "Guides and operations" : "Operations";
  return html`<nav class="operations" aria-labelledby="all-operations"><h2 class="label" id="all-operations">${title}</h2><ul>${isGuide && group}${groups}${!isGuide && group}</ul></nav>`;
}

function renderTrail(trail: readonly (readonly [string, string])[]): Content {
  if (trail.length === 0) return false;
  const steps = trail.map(
    ([text, href], index) =>
      html`<li><a href="${href}"${index === trail.length - 1 && html` aria-current="page"`}>${text}</a></li>`,
  );
  return html`<nav aria-label="Breadcrumb"><ol class="trail">${steps}</ol></nav>`;
}
