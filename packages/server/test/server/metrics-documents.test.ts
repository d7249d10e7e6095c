import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { readText } from "../source-files.ts";
import { startTestServer } from "../test-server.ts";
import type { Family } from "./exposition.ts";
import { readMetrics } from "./metrics-reading.ts";

const dashboard = readText("examples/grafana-dashboard.json");
const rules = readText("examples/prometheus-rules.yml");
const section = /^## Monitor\n.*?(?=^## )/ms.exec(readText("docs/operating.md"))?.[0] ?? "";

/** Lines of the server by their names: those of a histogram have endings. */
const lines = new Map<string, Family["samples"]>();
let families: ReadonlyMap<string, Family>;

before(async () => {
  const { url } = await startTestServer({ WFH_METRICS: "on" });
  const called = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  assert.equal((await fetch(url + called)).status, 200);
  families = await readMetrics(url);
  for (const { samples } of families.values()) {
    for (const [name, some] of Map.groupBy(samples, (sample) => sample.name)) lines.set(name, some);
  }
});

/** Texts that look like a metric. */
function metricsIn(text: string): readonly string[] {
  return text.match(/\b(?:wfh|nodejs|process)_[a-z0-9_]+/g) ?? [];
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly h: number;
    readonly w: number;
    readonly x: number;
    readonly y: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { panels, templating } = JSON.parse(dashboard) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
};
const panelQueries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The rules, by the names of their alerts. */
const alerts = new Map(
  rules
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);
const fieldOf = (rule: string, name: string) =>
  new RegExp(`^ +${name}: (.+)$`, "m").exec(rule)?.[1];
/** Without that of `up`, which is a metric of Prometheus. */
const ruleQueries = [...alerts.values()]
  .map((rule) => fieldOf(rule, "expr") ?? "")
  .filter((query) => !query.startsWith("up{"));

describe("a query", () => {
  for (const query of new Set([...panelQueries, ...ruleQueries])) {
    test(`asks for lines that there are: ${query}`, () => {
      assert.notEqual(metricsIn(query).length, 0);
      for (const name of metricsIn(query)) assert.ok(lines.has(name), name);
      for (const [, name = "", matchers = ""] of query.matchAll(/(\w+)\{([^}]*)\}/g)) {
        checkMatchers(lines.get(name) ?? [], matchers);
      }
      for (const [, labels = ""] of query.matchAll(/\bby \(([^)]*)\)/g)) {
        const known = metricsIn(query).flatMap((name) => labelsOf(lines.get(name) ?? []));
        for (const label of labels.split(", ")) assert.ok(known.includes(label), label);
      }
      assert.equal(query.match(/\(/g)?.length, query.match(/\)/g)?.length, "brackets close");
    });
  }
});

/** Labels of lines, and those that Prometheus adds. */
function labelsOf(samples: Family["samples"]): readonly string[] {
  return ["instance", "job", ...samples.flatMap(({ labels }) => [...labels.keys()])];
}

function checkMatchers(samples: Family["samples"], matchers: string): void {
  for (const matcher of matchers.split(",")) {
    const [, label = "", text = ""] = /^(\w+)(?:=|!=|=~|!~)"([^"]*)"$/.exec(matcher) ?? [];
    assert.ok(labelsOf(samples).includes(label), matcher);
    if (text.startsWith("$")) continue;
    const values = samples.map(({ labels }) => labels.get(label));
    for (const value of text.split("|")) assert.ok(values.includes(value), `${matcher}: ${value}`);
  }
}

describe("the dashboard", () => {
  test("has panels that each have an id, a title, a place of their own and something to show", () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Set<string>();
    for (const { title, type, targets = [], gridPos } of panels) {
      assert.ok(title !== "" && (type === "row" || targets.length > 0), title);
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!taken.has(`${x} ${y}`), `${title} lies over another panel`);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
  test("names no data source and no server, but lets one choose", () => {
    const names = new Set(templating.list.map(({ name }) => name));
    assert.deepEqual([...names], ["datasource", "instance"]);
    for (const [, uid] of dashboard.matchAll(/"uid": "([^"]*)"/g)) {
      assert.ok(uid === `$\{datasource}` || uid === "web-forms-helper", uid);
    }
    for (const query of panelQueries) assert.match(query, /instance=~"\$instance"/);
  });
  test("shows every metric of ours", () => {
    const shown = metricsIn(panelQueries.join(" "));
    for (const { name, samples } of families.values()) {
      assert.ok(
        samples.some((sample) => shown.includes(sample.name)),
        name,
      );
    }
  });
  test("its legends name labels that are left in the answer", () => {
    for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets)) {
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(", ");
      const known = kept ?? metricsIn(expr).flatMap((name) => labelsOf(lines.get(name) ?? []));
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        assert.ok(known.includes(label), `${legendFormat}: ${expr}`);
      }
    }
  });
});

describe("the alerts", () => {
  test("are some, and the file has the form of rules", () => {
    assert.ok(alerts.size >= 8);
    assert.match(rules, /^groups:\n {2}- name: web-forms-helper\n {4}rules:\n {6}- alert: /m);
    assert.ok(!rules.includes("\t"));
  });
  for (const [name, rule] of alerts) {
    test(`${name} says when, how grave it is and what it is, and is explained to operators`, () => {
      assert.match(name, /^Wfh[A-Za-z]+$/);
      assert.match(fieldOf(rule, "expr") ?? "", / (?:==|>) [\d.]+$/);
      assert.match(fieldOf(rule, "for") ?? "", /^\d+[mh]$/);
      assert.match(fieldOf(rule, "severity") ?? "", /^(?:critical|warning|info)$/);
      for (const words of ["summary", "description"]) {
        assert.match(fieldOf(rule, words) ?? "", /^"[^"]{10,}"$/);
      }
      const row = new RegExp(`^\\| \`${name}\` \\| [^|]{10,} \\| [^|]{10,} \\|$`, "m");
      assert.match(section, row);
    });
  }
});

describe("what operators are told to watch", () => {
  test("is there", () => {
    // Those of the console have a test of their own there.
    const ours = metricsIn(section).filter((name) => !name.startsWith("wfh_operator_"));
    for (const name of ours) assert.ok(families.has(name), name);
    for (const [name] of section.matchAll(/\bWfh[A-Za-z]+/g)) assert.ok(alerts.has(name), name);
  });
  test("leaves no metric out", () => {
    const reported = metricsIn(section);
    for (const name of families.keys()) assert.ok(reported.includes(name), name);
  });
  test("names every value that a label of ours can have", () => {
    const tables = { wfh_requests_total: "outcome", wfh_log_ins_total: "end" };
    for (const [name, label] of Object.entries({ ...tables, wfh_log_in_alarms_total: "event" })) {
      for (const { labels } of families.get(name)?.samples ?? []) {
        assert.ok(section.includes(`\`${labels.get(label)}\``), `${name}: ${labels.get(label)}`);
      }
    }
  });
});
