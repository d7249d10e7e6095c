import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runChecks } from "@wfh/server/lib/check.ts";
import { portChecks } from "@wfh/server/server/http/machine-checks.ts";
import { clockChecks } from "@wfh/server/store/clock-checks.ts";
import type { DatabaseFacts } from "@wfh/server/store/inspection.ts";
import { pageRequest } from "@wfh/server/test/store/sample.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import { openFixture } from "./cli-fixture.ts";
import { configOf, noComplaint, onlyComplaint } from "./doctor-fixture.ts";

const nowMs = Date.UTC(2026, 10, 21, 10);

test("doctor looks at a place where nothing is yet, and leaves nothing there", async (t) => {
  const fixture = openFixture(t);
  appendFileSync(join(fixture.folder, "settings.toml"), "WFH_PORT = 0\n");
  const before = readdirSync(fixture.folder);
  const { code, out } = await fixture.run(["doctor"]);
  assert.equal(code, 0);
  assert.match(out, /^WARN {2}database +The database .*office\.db does not exist yet/m);
  assert.match(out, /^ +fix: start the server, or correct WFH_DATABASE_URL$/m);
  assert.match(out, /^WARN {2}keys +The key file .*office\.key does not exist yet/m);
  assert.match(
    out,
    /^ok {4}postal-codes +The built-in data is intact: 44,459 postal codes of 2 countries/m,
  );
  assert.match(out, /\n\n0 problems, 2 warnings, \d+ ok\n$/);
  assert.deepEqual(readdirSync(fixture.folder), before);
});

test("doctor finds nothing to complain about while a server runs, and disturbs nothing", async (t) => {
  const fixture = openFixture(t);
  const server = await startServer({
    WFH_DATABASE_URL: fixture.databaseUrl,
    WFH_KEY_FILE: join(fixture.folder, "office.key"),
  });
  t.after(() => server.close());
  await server.store.pageRequests.append(pageRequest({ arrivedAtMs: Date.now() }));
  const { port } = new URL(server.url);
  appendFileSync(join(fixture.folder, "settings.toml"), `WFH_PORT = ${port}\n`);
  const before = readdirSync(fixture.folder);
  const { code, out } = await fixture.run(["doctor", "--json"]);
  const report = JSON.parse(out) as {
    problems: number;
    findings: { area: string; check: string }[];
  };
  assert.deepEqual({ code, problems: report.problems }, { code: 0, problems: 0 }, out);
  const areas = report.findings.map(({ area }) => area);
  assert.deepEqual(
    [...new Set(areas)],
    [
      "settings",
      "database",
      "postal-codes",
      "keys",
      "clock",
      "web",
      "operators",
      "machine",
      "port",
    ],
  );
  const checks = report.findings.map(({ check }) => check);
  for (const check of [
    "settings-valid",
    "schema",
    "journal-mode",
    "damage",
    "disk-space",
    "port",
  ]) {
    assert.ok(checks.includes(check), check);
  }
  assert.match(out, new RegExp(`A server responds at ${server.url} and is ready`));
  assert.match(out, /The file is not damaged/);
  assert.deepEqual(readdirSync(fixture.folder), before);
});

test("doctor names settings that cannot be used, and those that were meant", async (t) => {
  const fixture = openFixture(t);
  const lines = 'WFH_PROT = 1\nWFH_LOG_LEVEL = "loud"\nWFH_SECRET_KEYS = "hush-hush"\n';
  appendFileSync(join(fixture.folder, "settings.toml"), 'WFH_TRUSTED_PROXIES = "999.0.0.1"\n');
  appendFileSync(join(fixture.folder, "settings.toml"), lines);
  const { code, out } = await fixture.run(["doctor"]);
  assert.equal(code, 78);
  assert.match(out, /^FAIL +settings +WFH_PROT .*did you mean WFH_PORT\?$/m);
  assert.match(out, /^FAIL +settings +WFH_LOG_LEVEL="loud" .*must be debug, info/m);
  assert.match(out, /^FAIL +settings +WFH_TRUSTED_PROXIES="999\.0\.0\.1" .*must be IP addresses/m);
  assert.doesNotMatch(out, /hush/);
  assert.match(out, /^4 problems, 0 warnings, 0 ok$/m);
});

test("doctor tells of settings that contradict each other", async (t) => {
  const fixture = openFixture(t);
  const lines = "WFH_HEAD_TIMEOUT_MS = 60000\nWFH_HEAD_BYTES_MAX = 4096\nWFH_PORT = 0\n";
  appendFileSync(join(fixture.folder, "settings.toml"), lines);
  const { code, out } = await fixture.run(["doctor"]);
  assert.equal(code, 0);
  assert.match(out, /WARN.*WFH_HEAD_TIMEOUT_MS is 60000.*\n.*fix: WFH_HEAD_TIMEOUT_MS=30000/);
  assert.match(out, /WARN.*WFH_TARGET_BYTES_MAX is 8192.*\n.*fix: WFH_TARGET_BYTES_MAX=4096/);
});

describe("doctor looks at the clock", () => {
  const facts: DatabaseFacts = {
    version: "18",
    schemaVersion: 1,
    schemaBarrier: null,
    newestPageRequestMs: nowMs - 1,
    retentionAsOfMs: nowMs - 3_600_000,
    formOrigins: [],
    hashForms: {},
    clockAheadMs: 20,
    journalMode: null,
    keyFingerprint: null,
    liveNodes: 0,
    servedReleases: [],
    availableConnections: null,
  };
  const cases: readonly [
    name: string,
    now: number,
    facts: DatabaseFacts,
    complaint: RegExp | null,
  ][] = [
    ["that agrees with the database server", nowMs, facts, null],
    ["that was never set", 0, facts, /^problem: The clock shows 1970-01-01T00:00:00\.000Z/],
    [
      "that the server's is ahead of",
      nowMs,
      { ...facts, clockAheadMs: 61_000 },
      /^warning: .* 61\.0 seconds ahead\. -> .*on both machines/,
    ],
    [
      "that went back",
      nowMs,
      { ...facts, newestPageRequestMs: nowMs + 3_600_000 },
      /^warning: The newest page request is from 2026-11-21T11:00:00\.000Z, which is in the future/,
    ],
    [
      "that retention does not trust",
      nowMs,
      { ...facts, retentionAsOfMs: nowMs - 36 * 3_600_000 },
      /^warning: Old page requests were last deleted as of 2026-11-19T22:00:00\.000Z: the clock is 1\.5 days ahead of that\./,
    ],
  ];
  for (const [name, now, found, complaint] of cases) {
    test(name, async () => {
      const findings = await runChecks(clockChecks, { nowMs: now, facts: found });
      if (complaint === null) noComplaint(findings);
      else assert.match(onlyComplaint(findings), complaint);
    });
  }
});

test("doctor tells a free port from one that another program has", async () => {
  const other = createServer((socket) =>
    socket.end("HTTP/1.1 200 OK\r\n\r\nhello").resume(),
  ).listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const config = configOf({ WFH_PORT: String(port) });
  assert.match(
    onlyComplaint(await runChecks(portChecks, config)),
    /^problem: Cannot listen on 127\.0\.0\.1:\d+\. That port is taken\./,
  );
  other.close();
  await once(other, "close");
  assert.match(JSON.stringify(await runChecks(portChecks, config)), /is free/);
});
