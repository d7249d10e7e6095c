import type { RestApi } from "../../contract/operation.ts";
import { relativeRootOf } from "../described-service.ts";
import { html } from "../markup.ts";
import { type Page, renderPage } from "./layout.ts";

/** Most characters of an unknown path that the page repeats. */
const repeatedMax = 200;

/** The page for an address where nothing is served. */
export function renderNotFoundPage(path: string, api: RestApi): Page {
  const root = relativeRootOf({ path });
  return renderPage({
    title: "Not found",
    description: "Nothing is served at this address.",
    root,
    api,
    main: html`<div class="intro">
      <h1>Not found</h1>
      <p class="lead">Nothing is served at <code class="anywhere">${path.slice(0, repeatedMax)}</code>.</p>
      <p><a href="${root}">Go to the start page</a></p>
      </div>`,
  });
}
