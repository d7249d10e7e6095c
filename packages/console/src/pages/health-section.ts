import type { AreaFinding } from "@wfh/server/lib/check.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import type { HealthReport } from "./health.ts";
import type { PageDeps } from "./page-context.ts";

/** State of the server in one word and one sentence. */
export interface HealthSummary {
  readonly level: AreaFinding["level"];
  readonly text: string;
  readonly detail: string;
}

/** Sentences for what keeps page requests from being stored. */
const unready: Readonly<Record<string, string>> = {
  database: "The database cannot be written to.",
  "disk-reserve": "The disk is nearly full.",
  "queue-full": "Too many page requests wait to be written.",
};

/** Sums up what the server says of itself, and what its checks have found. */
export function summarizeHealth(
  { store }: Pick<PageDeps, "store">,
  report: HealthReport | null,
): HealthSummary {
  const readiness = store.readiness();
  if (readiness !== "ready") {
    const detail = unready[readiness] ?? readiness;
    return { level: "problem", text: "Page requests are refused", detail };
  }
  if (report === null) {
    return { level: "ok", text: "Ready", detail: "The checks are running." };
  }
  const count = (level: AreaFinding["level"]) =>
    report.findings.filter((finding) => finding.level === level).length;
  const problems = count("problem");
  const warnings = count("warning");
  const passed = countOf(count("ok"), "check passed", "checks passed");
  const detail = "What is wrong is below, with its remedy.";
  if (problems > 0) return { level: "problem", text: countOf(problems, "problem"), detail };
  if (warnings > 0) return { level: "warning", text: countOf(warnings, "warning"), detail };
  return { level: "ok", text: passed, detail: "The same checks as wfh doctor." };
}

/** Order of findings: first what has to be fixed. */
const levels = { problem: 0, warning: 1, ok: 2 } as const;
const marks = { problem: "Problem", warning: "Warning", ok: "OK" } as const;

/** The checks of `wfh doctor`, with their remedies. */
export async function renderHealth(deps: PageDeps): Promise<Markup> {
  const report = await deps.health.latest();
  const { store } = deps;
  const state = html`<dl class="facts"><dt>Page requests</dt><dd>${unready[store.readiness()] ?? "are stored"}${store.queuedRows() > 0 && html`; ${countOf(store.queuedRows(), "waits", "wait")} to be written`}</dd>
    <dt>Nodes</dt><dd>${countOf(store.nodeCount(), "node serves", "nodes serve")} this database</dd></dl>`;
  if (report === null)
    return renderSection(
      html`${state}<p class="note">The checks are running. Load this page again.</p>`,
    );
  const findings = report.findings.toSorted((a, b) => levels[a.level] - levels[b.level]);
  const wanting = findings.filter(({ level }) => level !== "ok");
  const passed = findings.filter(({ level }) => level === "ok");
  const ageS = Math.max(0, Math.round((deps.now() - report.checkedAtMs) / 1_000));
  return renderSection(html`${state}
    ${wanting.length > 0 && html`<ul class="findings">${wanting.map(renderFinding)}</ul>`}
    <details class="numbers"><summary>${countOf(passed.length, "check passed", "checks passed")}</summary><ul class="findings">${passed.map(renderFinding)}</ul></details>
    <p class="note">The same checks as <code>wfh doctor</code>, ${ageS < 2 ? "just now" : `${ageS} seconds ago`}.</p>`);
}

function renderSection(content: Markup): Markup {
  return html`<section id="health" class="table" aria-labelledby="health-title"><h2 id="health-title">Server</h2>${content}</section>`;
}

function renderFinding({ level, area, text, fix }: AreaFinding): Markup {
  return html`<li class="${level}"><b class="level">${marks[level]}</b><div><p><span class="area">${area}</span> ${toPrintable(text)}</p>${fix !== null && html`<p class="fix">${toPrintable(fix)}</p>`}</div></li>`;
}
