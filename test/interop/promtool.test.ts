import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const isMissing = spawnSync("promtool", ["--version"]).status !== 0;
const skip =
  isMissing && process.env["INTEROP_REQUIRED"] === undefined && "promtool is not installed";

/** Longest time that promtool may take, in milliseconds. */
const patienceMs = 20_000;

/** All that it finds: a year is given in days, as in the alarm that operators read. */
const lint = 'wfh_gazetteer_age_days use base unit "seconds" instead of "days"\n';

test("Prometheus takes the alarms", { skip }, () => {
  const said = execFileSync("promtool", ["check", "rules", "examples/prometheus-rules.yml"], {
    encoding: "utf8",
    timeout: patienceMs,
  });
  assert.match(said, /SUCCESS: \d+ rules found/);
});

test("the alarm of a clock that retention does not trust fires", { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "wfh-alarms-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "clock.yml");
  const series = (instance: string, values: string) => ({
    series: `wfh_retention_clock_ahead_seconds{instance="${instance}"}`,
    values,
  });
  const labels = `alertname="WfhRetentionClock",alertstate="firing",severity="warning"`;
  const fired = { labels: `ALERTS{${labels},instance="ahead"}`, value: 1 };
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [resolve("examples/prometheus-rules.yml")],
      tests: [
        {
          interval: "1m",
          input_series: [series("ahead", "0 0 34646400x5"), series("right", "0x8")],
          promql_expr_test: [{ expr: "ALERTS", eval_time: "5m", exp_samples: [fired] }],
        },
      ],
    }),
  );
  const { stdout, stderr, status } = spawnSync("promtool", ["test", "rules", file], {
    encoding: "utf8",
    timeout: patienceMs,
  });
  assert.equal(status, 0, stdout + stderr);
});

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
