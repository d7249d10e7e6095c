import { html } from "@wfh/server/metadata/markup.ts";
import { liveScript } from "../live/live-script.ts";
import { liveColumns } from "../live/live-views.ts";
import type { PageContent } from "./layout.ts";
import {
  type PageContext,
  readDeclaredForms,
  renderFilter,
  renderFormField,
} from "./page-context.ts";
import { renderZoneField } from "./zone.ts";

/** Rows that the page keeps: the newest that a view sends at once, and as many before them. */
const keptMax = 200;

/** The live view: a table that its script fills with page requests as they arrive. */
export async function livePage(context: PageContext): Promise<PageContent> {
  const { zone } = context;
  const declared = await readDeclaredForms(context);
  const main = html`<div class="heading"><div><h1>Live</h1><p class="note" id="live-status" role="status">The live view needs JavaScript. All other pages work without it.</p></div><button type="button" id="live-pause" hidden>Pause</button></div>
    ${renderFilter(html`${renderFormField(context, declared)}${renderZoneField(zone)}`)}
    <div class="scroll" tabindex="0" role="group" aria-label="Latest page requests">
    <table id="live" data-max="${keptMax}" data-zone="${zone.name}">
    <thead><tr><th scope="col">Arrived (${zone.name})</th>${liveColumns.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody></tbody>
    </table></div>
    `;
  return { title: "Live", main, script: liveScript };
}
