import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { liveColumns } from "./live-rows.ts";
import { liveRowsMax } from "./live-view.ts";

/**
 * Renders the content of the live view: a table that its script fills.
 *
 * @param zone name of the time zone of arrivals, such as `"Europe/Berlin"`.
 * @param filter fields that choose a form and the zone.
 */
export function renderLiveView(zone: string, filter: Content): Markup {
  return html`<div class="heading"><div><h1>Live</h1><p class="note"><span id="live-status" role="status">The live view needs JavaScript.</span> <button type="button" id="live-pause" hidden>Pause</button></p></div></div>
    ${filter}
    <div class="scroll" tabindex="0" role="group" aria-label="Latest page requests">
    <table id="live" data-max="${liveRowsMax}" data-zone="${zone}">
    <thead><tr><th scope="col">Arrived (${zone})</th>${liveColumns.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody></tbody>
    </table></div>
    `;
}
