import { isDeepStrictEqual } from "node:util";
import {
  type Content,
  html,
  inlineAsset,
  type Markup,
  textOf,
} from "@wfh/server/metadata/markup.ts";
import { indentCode } from "@wfh/server/metadata/samples/indent.ts";
import { diffLines, diffWordsWithSpace } from "diff";
import { type ComparisonReport, type DifferenceGroup, noOperation } from "./comparison-tally.ts";
import { reportStyle } from "./report-style.ts";

/** Names of counts, and what the page calls them. */
const counts = [
  ["identical", "Identical"],
  ["explained", "Explained"],
  ["different", "Different"],
  ["notCompared", "Not compared"],
] as const;
/** Equal lines around a difference that are shown. */
const contextLines = 3;
/** Differences whose bodies are shown at once. */
const openMax = 10;
/** Longest search for what is equal in two bodies, in milliseconds. */
const searchMs = 1_000;

/**
 * A report as one HTML file without scripts, with each difference side by side.
 *
 * @param compared name of the recording, or addresses of the servers.
 * @param at when it was made, ISO 8601.
 */
export function renderComparisonPage(report: ComparisonReport, compared: string, at: string) {
  const page = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${reportStyle.source}">
    <title>Old server and Web Forms Helper compared</title>
    <style>${inlineAsset(reportStyle)}</style>
    </head>
    <body>
    <main>
    <h1>Old server and Web Forms Helper compared</h1>
    <p class="lead anywhere">${compared}, ${formatTime(at)}</p>
    <dl class="totals">${counts.map(([name, label]) => html`<div class="${report[name] > 0 && name}"><dt>${label}</dt><dd>${format(report[name])}</dd></div>`)}</dl>
    <h2 id="operations">Operations</h2>
    <div class="scroll" role="region" aria-labelledby="operations" tabindex="0"><table class="counts"><thead><tr><th scope="col">Operation and binding</th>${counts.map(([, label]) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
    <tbody>${report.calls.map((call) => html`<tr><th scope="row">${call.operation ?? noOperation} <span>${call.binding ?? ""}</span></th>${counts.map(([name]) => html`<td class="number ${call[name] === 0 ? "zero" : name}">${format(call[name])}</td>`)}</tr>`)}</tbody></table></div>
    <h2>Differences</h2>
    <p>${report.differences.length === 0 ? "None." : "Responses also show what rules explain."}</p>
    ${report.differences.map(renderGroup)}
    ${renderList("Explained by rules", report.rules)}
    ${renderList("Not compared", report.reasons)}
    </main>
    </body>
    </html>
    `;
  return textOf(page);
}

function renderList(title: string, rows: ComparisonReport["rules"]): Markup | undefined {
  if (rows.length === 0) return undefined;
  const items = rows.map(({ name, reason, count }) => {
    const label = name === reason ? reason : html`<strong>${name}</strong>: ${reason}`;
    return html`<li>${format(count)} × ${label}</li>`;
  });
  return html`<h2>${title}</h2><ul>${items}</ul>`;
}

function renderGroup(
  group: DifferenceGroup,
  index: number,
  groups: readonly DifferenceGroup[],
): Markup {
  const { operation, binding, path, kind, old, ours, note, count, example } = group;
  // Calls of SOAP have one address, and several may come in a millisecond.
  const isSame = isDeepStrictEqual(example, groups[index - 1]?.example);
  const value = (text: string | null) =>
    text === null ? "nothing" : html`<code class="value">${text}</code>`;
  return html`<article aria-labelledby="difference-${index}">
    <h3 id="difference-${index}">${operation ?? noOperation} ${binding ?? ""}: ${path}</h3>
    <p>${format(count)} × ${kind === "value" ? "another value" : kind}. Old server: ${value(old)}. This server: ${value(ours)}.${note !== undefined && ` Note: ${note}.`}</p>
    <p class="note anywhere">First in ${example.request}, recorded ${formatTime(example.at)}${isSame && "; its responses are above"}.</p>
    ${!isSame && example.requestBody !== "" && html`<details><summary>Request body</summary><pre class="value">${indent(example.requestBody)}</pre></details>`}
    ${!isSame && renderBodies(group, index)}
    </article>
    `;
}

function renderBodies({ example }: DifferenceGroup, index: number): Markup {
  const rows = compareLines(indent(example.oldBody), indent(example.ourBody));
  return html`<details${index < openMax && html` open`}><summary>Responses side by side</summary>
    <div class="scroll"><table class="diff"><thead><tr><th scope="col">Old server</th><th scope="col">This server</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function formatTime(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>`;
}

function indent(text: string): string {
  const language = text.startsWith("<") ? "xml" : /^[[{]/.test(text) ? "json" : "text";
  return indentCode(language, text);
}

/** Rows of a table: equal lines beside each other, and other lines with their differing words. */
function compareLines(old: string, ours: string): readonly Content[] {
  const parts = diffLines(old, ours, { timeout: searchMs }) ?? [
    { value: old, removed: true, added: false },
    { value: ours, removed: false, added: true },
  ];
  return parts.map(({ value, removed, added }, i) => {
    const before = parts[i - 1];
    const after = parts[i + 1];
    if (removed) return changedRow(value, after?.added ? after.value : "");
    // What took the place of removed lines is in the row of these.
    if (added) return !before?.removed && changedRow("", value);
    return sameRows(value.replace(/\n$/, "").split("\n"), i === 0, i === parts.length - 1);
  });
}

function changedRow(old: string, ours: string): Markup {
  const before = old.replace(/\n$/, "");
  const now = ours.replace(/\n$/, "");
  // Texts of other numbers of lines have too little in common for their words.
  const isAlike = before.split("\n").length === now.split("\n").length;
  const words = isAlike ? diffWordsWithSpace(before, now, { timeout: searchMs }) : undefined;
  const left = words?.map(
    ({ value, removed, added }) => !added && (removed ? html`<del>${value}</del>` : value),
  );
  const right = words?.map(
    ({ value, removed, added }) => !removed && (added ? html`<ins>${value}</ins>` : value),
  );
  return html`<tr><td class="${before !== "" && "old"}">${left ?? before}</td><td class="${now !== "" && "ours"}">${right ?? now}</td></tr>`;
}

/** Equal lines, of which only those near a difference are shown. */
function sameRows(lines: readonly string[], isFirst: boolean, isLast: boolean): Content {
  const before = isFirst ? 0 : contextLines;
  const after = isLast ? 0 : contextLines;
  const hidden = lines.length - before - after;
  const same = (some: readonly string[]) => {
    const text = some.join("\n");
    return some.length > 0 && html`<tr class="same"><td>${text}</td><td>${text}</td></tr>`;
  };
  if (hidden < 2) return same(lines);
  return [
    same(lines.slice(0, before)),
    html`<tr class="gap"><td colspan="2">${format(hidden)} equal lines</td></tr>`,
    same(lines.slice(lines.length - after)),
  ];
}

function format(count: number): string {
  return count.toLocaleString("en-US");
}
