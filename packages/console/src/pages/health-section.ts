import type { AreaFinding } from "@wfh/server/lib/check.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { renderCard } from "./layout.ts";
import type { PageDeps } from "./page-context.ts";

/** Sentences for what keeps page requests from being stored. */
const unready: Readonly<Record<string, string>> = {
  database: "The database cannot be written to.",
  "disk-reserve": "The disk is nearly full.",
  "queue-full": "Too many page requests wait to be written.",
};

/** Words for the levels of findings, in the order in which they are shown. */
const levels = {
  problem: { server: "Trouble", finding: "Problem", one: "problem", many: "problems" },
  warning: { server: "Works", finding: "Warning", one: "warning", many: "warnings" },
  ok: { server: "Well", finding: "OK", one: "check passed", many: "checks passed" },
} as const;

function listAt(findings: readonly AreaFinding[], level: AreaFinding["level"]) {
  return findings.filter((finding) => finding.level === level);
}

/** Sums up what the server says of itself, and what its checks have found. */
export async function renderHealthCard({ health, store }: PageDeps): Promise<Markup> {
  const report = await health.latest();
  const readiness = store.readiness();
  const found = Object.keys(levels) as (keyof typeof levels)[];
  const worst = found.find((level) => listAt(report?.findings ?? [], level).length > 0) ?? "ok";
  const level = readiness === "ready" ? worst : "problem";
  const { server, one, many } = levels[level];
  const counted =
    report === null
      ? "The checks are running"
      : countOf(listAt(report.findings, level).length, one, many);
  return renderCard({
    title: "Server",
    value: server,
    mark: { level, text: readiness === "ready" ? counted : "Page requests are refused" },
    note: html`${unready[readiness]} <a href="#health">See the checks</a>`,
  });
}

/**
 * The checks of `wfh doctor`, with their remedies.
 *
 * @param leftOut areas whose findings are older than what the page says of them.
 */
export async function renderHealth(
  { health, store, now }: PageDeps,
  leftOut: readonly string[] = [],
): Promise<Markup> {
  const report = await health.latest();
  const { findings: all, checkedAtMs } = report ?? { findings: [], checkedAtMs: now() };
  const findings = all.filter(({ area }) => !leftOut.includes(area));
  const passed = listAt(findings, "ok");
  const failed = [...listAt(findings, "problem"), ...listAt(findings, "warning")];
  const ageS = Math.max(0, Math.round((now() - checkedAtMs) / 1_000));
  const age = report === null ? "which are running: load this page again" : `${ageS} seconds ago`;
  return html`<section id="health" class="table" aria-labelledby="health-title"><h2 id="health-title">Server</h2>
    <dl class="facts"><dt>Page requests</dt><dd>${unready[store.readiness()] ?? "are stored"}${store.queuedRows() > 0 && html`; ${countOf(store.queuedRows(), "waits", "wait")} to be written`}</dd>
    <dt>Nodes</dt><dd>${countOf(store.nodeCount(), "node serves", "nodes serve")} this database</dd></dl>
    ${failed.length > 0 && html`<ul class="findings">${failed.map(renderFinding)}</ul>`}
    ${passed.length > 0 && html`<details class="numbers"><summary>${countOf(passed.length, levels.ok.one, levels.ok.many)}</summary><ul class="findings">${passed.map(renderFinding)}</ul></details>`}
    <p class="note">The same checks as <code>wfh doctor</code>, ${age}.</p></section>`;
}

function renderFinding({ level, area, text, fix }: AreaFinding): Markup {
  return html`<li class="${level}"><b class="level">${levels[level].finding}</b><div><p><span class="area">${area}</span> ${toPrintable(text)}</p>${fix !== null && html`<p class="fix">${toPrintable(fix)}</p>`}</div></li>`;
}
