import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";

const isMissing = spawnSync("promtool", ["--version"]).status !== 0;
const skip =
  isMissing && process.env["INTEROP_REQUIRED"] === undefined && "promtool is not installed";

/** Longest time that promtool may take, in milliseconds. */
const patienceMs = 20_000;

/** All that it finds: a year is given in days, as in the alert that operators read. */
const lint = 'wfh_gazetteer_age_days use base unit "seconds" instead of "days"\n';

test("Prometheus takes the alerts", { skip }, () => {
  const said = execFileSync("promtool", ["check", "rules", "examples/prometheus-rules.yml"], {
    encoding: "utf8",
    timeout: patienceMs,
  });
  assert.match(said, /SUCCESS: \d+ rules found/);
});

/** Series by instance: the values in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

const alerts: readonly {
  readonly name: string;
  readonly what: string;
  /** `"warning"` without it. */
  readonly severity?: "critical";
  readonly series: Series;
  /** Labels of what fires after so long; none when nothing does. */
  readonly fires: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    name: "WfhDown",
    what: "a server that has been down for more than a minute",
    severity: "critical",
    series: {
      'up{job="web-forms-helper",instance="down"}': "1 0x5",
      'up{job="web-forms-helper",instance="restarted"}': "1 0 1x4",
      'up{job="other",instance="foreign"}': "0x6",
    },
    fires: { "1m": [], "3m": ['instance="down",job="web-forms-helper"'] },
  },
  {
    name: "WfhRetentionClock",
    what: "a clock that retention does not trust",
    series: {
      'wfh_retention_clock_ahead_seconds{instance="ahead"}': "0 0 34646400x5",
      'wfh_retention_clock_ahead_seconds{instance="right"}': "0x8",
    },
    fires: { "5m": ['instance="ahead"'] },
  },
  {
    name: "WfhRetentionStuck",
    what: "a node whose last run without a failure was two days ago",
    series: {
      // Two days but for 10 minutes before the beginning.
      'wfh_retention_success_timestamp_seconds{instance="stuck"}': "-172200x30",
      'wfh_retention_success_timestamp_seconds{instance="late"}': "-172200x15 0x15",
    },
    fires: { "15m": [], "25m": ['instance="stuck"'] },
  },
  {
    name: "WfhClockDiffers",
    what: "a clock that is ahead of the database server's, or behind, for more than a minute",
    series: {
      'wfh_clock_ahead_seconds{instance="ahead"}': "0 30x5",
      'wfh_clock_ahead_seconds{instance="behind"}': "0 -301x5",
      'wfh_clock_ahead_seconds{instance="corrected"}': "0 30 0x4",
      'wfh_clock_ahead_seconds{instance="right"}': "0x6",
    },
    fires: { "1m": [], "4m": ['instance="ahead"', 'instance="behind"'] },
  },
  {
    name: "WfhPostalDataDiffers",
    what: "nodes that serve different postal data for more than a minute",
    series: {
      'wfh_gazetteer_info{job="a",instance="1",release="old"}': "1 stale _ _ _ _ _ _ _",
      'wfh_gazetteer_info{job="a",instance="1",release="new"}': "_ 1 1 1 1 1 1 1 1",
      'wfh_gazetteer_info{job="a",instance="2",release="old"}': "1 1 1 1 1 stale _ _ _",
      'wfh_gazetteer_info{job="a",instance="2",release="new"}': "_ _ _ _ _ 1 1 1 1",
      // Another deployment has data of its own.
      'wfh_gazetteer_info{job="b",instance="3",release="other"}': "1 1 1 1 1 1 1 1 1",
    },
    fires: { "4m": ['job="a"'], "7m": [] },
  },
  {
    name: "WfhPostalDataDiffers",
    what: "no nodes that follow an import within a minute",
    series: {
      'wfh_gazetteer_info{job="a",instance="1",release="old"}': "1 stale _ _ _ _",
      'wfh_gazetteer_info{job="a",instance="1",release="new"}': "_ 1 1 1 1 1",
      'wfh_gazetteer_info{job="a",instance="2",release="old"}': "1 1 stale _ _ _",
      'wfh_gazetteer_info{job="a",instance="2",release="new"}': "_ _ 1 1 1 1",
    },
    fires: { "1m": [], "2m": [], "4m": [] },
  },
  {
    name: "WfhPostalDataRefused",
    what: "a release that could not be used",
    series: {
      'wfh_gazetteer_refused_total{instance="1"}': "0 0 1 1 1 1",
      'wfh_gazetteer_refused_total{instance="2"}': "0x5",
    },
    fires: { "5m": ['instance="1"'] },
  },
];

for (const { name, what, severity = "warning", series, fires } of alerts) {
  test(`${name} fires for ${what}`, { skip }, () => {
    const file = join(temporaryFolder(), "alert.yml");
    const labels = `alertname="${name}",alertstate="firing",severity="${severity}"`;
    const tests = [
      {
        interval: "1m",
        input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
        promql_expr_test: Object.entries(fires).map(([eval_time, firing]) => ({
          expr: `ALERTS{alertname="${name}",alertstate="firing"}`,
          eval_time,
          exp_samples: firing.map((label) => ({ labels: `ALERTS{${labels},${label}}`, value: 1 })),
        })),
      },
    ];
    const rule_files = [resolve("examples/prometheus-rules.yml")];
    writeFileSync(file, JSON.stringify({ rule_files, tests }));
    const { stdout, stderr, status } = spawnSync("promtool", ["test", "rules", file], {
      encoding: "utf8",
      timeout: patienceMs,
    });
    assert.equal(status, 0, stdout + stderr);
  });
}

test("Prometheus takes the metrics, and would have but one other name", { skip }, async () => {
  const { url } = await startTestServer({ WFH_METRICS: "on" });
  const input = await (await fetch(`${url}/metrics`)).text();
  const { stdout, stderr, status } = spawnSync("promtool", ["check", "metrics"], {
    input,
    encoding: "utf8",
    timeout: patienceMs,
  });
  assert.equal(stdout + stderr, lint);
  // 3 is for lint alone.
  assert.equal(status, 3);
});
