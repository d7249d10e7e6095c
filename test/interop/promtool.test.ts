import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const isMissing = spawnSync("promtool", ["--version"]).status !== 0;
const skip =
  isMissing && process.env["INTEROP_REQUIRED"] === undefined && "promtool is not installed";

/** Longest time that promtool may take, in milliseconds. */
const patienceMs = 20_000;

/** All that it finds: a year is told in days, as in the alarm that operators read. */
const lint = 'wfh_gazetteer_age_days use base unit "seconds" instead of "days"\n';

test("Prometheus takes the alarms", { skip }, () => {
  const said = execFileSync("promtool", ["check", "rules", "examples/prometheus-rules.yml"], {
    encoding: "utf8",
    timeout: patienceMs,
  });
  assert.match(said, /SUCCESS: \d+ rules found/);
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
