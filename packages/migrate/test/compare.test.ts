import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Exchange } from "../src/exchange.ts";
import { tools } from "../src/tools.ts";
import {
  findReference,
  openComparison,
  readReference,
  referenceFile,
  replace,
} from "./compare-fixture.ts";

const { fixture, compare, rules } = openComparison();
after(() => fixture.close());

const lookUp = findReference("PostalCodeToCityState", "soap11");

/** Look-ups of the reference that this server refuses (decisions 0006 and 0009). */
const refusedHere = ["s11-badcharset", "s11-param-nil-content", "s11-wrapped-child"];
const isRefusedHere = ({ request }: Exchange) =>
  refusedHere.some((name) => request.headers.includes(name));
const taken = readReference().filter((one) => !isRefusedHere(one));

test("the reference stack differs from this server in nothing that no rule explains", async () => {
  const { code, err, report } = await compare(taken, "--rules", rules);
  const { differences, identical, explained, reasons } = report;
  assert.deepEqual({ code, err, differences }, { code: 0, err: "", differences: [] });
  assert.equal(identical + explained, 249);
  assert.deepEqual(
    reasons.map(({ count, reason }) => [count, reason]),
    [
      [17, "it has side effects: --with-side-effects sends it to this server"],
      [16, "a recording has no passwords and cookies: compare log-ins live"],
    ],
  );
});

test("no rule explains a fault in place of a result", async () => {
  const refused = readReference().filter(isRefusedHere);
  const { code, report } = await compare(refused);
  assert.deepEqual([code, report.different], [1, refusedHere.length]);
});

test("the server for a recording leaves the database of the settings alone, and nothing behind", async () => {
  process.env["TMPDIR"] = fixture.folder;
  const before = existsSync(fixture.databaseFile);
  const { code, report } = await compare(taken, "--rules", rules, "--with-side-effects");
  assert.equal(code, 0);
  assert.equal(
    report.calls.find(({ operation }) => operation === "LogPageRequestAsync")?.different,
    0,
  );
  assert.equal(existsSync(fixture.databaseFile), before);
  assert.deepEqual(
    readdirSync(fixture.folder).filter((name) => name.startsWith("wfh-compare-")),
    [],
  );
});

test("a difference comes with its path, both values, both bodies and how often", async () => {
  const other = replace(lookUp, "<City>New York</City>", "<City>Nueva York</City>");
  const { code, report } = await compare([lookUp, other, other]);
  assert.equal(code, 1);
  const [group, ...others] = report.differences;
  assert.deepEqual(others, []);
  const { operation, binding, path, kind, old, ours, count, example } = group ?? assert.fail();
  assert.deepEqual(
    { operation, binding, path, kind, old, ours, count },
    {
      operation: "PostalCodeToCityState",
      binding: "soap11",
      path: "PostalCodeToCityStateResult/City",
      kind: "value",
      old: "Nueva York",
      ours: "New York",
      count: 2,
    },
  );
  assert.match(example.requestBody, /<postalCode>10001<\/postalCode>/);
  assert.match(example.oldBody, /Nueva York/);
  assert.match(example.ourBody, /New York/);
  const { code: textCode, out } = await fixture.run([
    "migrate",
    "compare",
    join(fixture.folder, "old.ndjson"),
  ]);
  assert.equal(textCode, 1);
  assert.match(
    out,
    /2 x PostalCodeToCityState soap11 PostalCodeToCityStateResult\/City, value: was "Nueva York", is "New York"/,
  );
});

test("the page has the request and the responses of each call, even of two in one millisecond", async () => {
  const html = join(fixture.folder, "report.html");
  const [other, missing] = [/<City>.*?<\/City>/, /<State>.*<\/State>/].map((part) =>
    replace(lookUp, part, ""),
  );
  assert.ok(other !== undefined && missing !== undefined);
  const { report } = await compare([other, missing], "--html", html);
  assert.deepEqual(
    report.differences.map(({ path, example }) => [path, example.at]),
    ["City", "State"].map((part) => [`PostalCodeToCityStateResult/${part}`, lookUp.at]),
  );
  const page = readFileSync(html, "utf8");
  assert.equal(page.split("Responses side by side").length, 3);
  assert.equal(page.split("&lt;postalCode&gt;10001&lt;/postalCode&gt;").length, 3);
  assert.doesNotMatch(page, /its responses are above/);
});

test("the ids of another place contradict none of later calls", async () => {
  const ofNewJersey = "<State_id>31</State_id><StateName>New Jersey<";
  const other = replace(lookUp, "<State_id>33</State_id><StateName>New York<", ofNewJersey);
  const { report } = await compare([other, lookUp, lookUp]);
  assert.deepEqual([report.different, report.explained], [1, 2]);
  assert.deepEqual(
    report.differences.map(({ path }) => path),
    ["PostalCodeToCityStateResult/State/StateName"],
  );
});

test("lines that cannot be read are named, and the others compared", async () => {
  const { code, report, err } = await compare([
    lookUp,
    "{not JSON\n",
    { ...lookUp, v: 2 } as unknown as Exchange,
    { ...lookUp, response: "x" } as unknown as Exchange,
    lookUp,
    '{"v":1,"at":"2026',
  ]);
  assert.equal(code, 69);
  assert.equal(report.explained, 2);
  assert.match(err, /line 2: not JSON/);
  assert.match(err, /line 3: version 2 is not supported/);
  assert.match(err, /line 4: response is not an object/);
  assert.match(err, /line 6: incomplete, and left out/);
});

test("of many lines that cannot be read, the first are named, and the others counted", async () => {
  const { code, err } = await compare(Array<string>(1_000).fill("not a recording\n"));
  assert.equal(code, 69);
  const lines = err.trimEnd().split("\n");
  assert.equal(lines.length, 22, err);
  assert.match(lines[19] ?? "", /line 20: not JSON/);
  assert.match(lines[20] ?? "", /980 further lines cannot be read\.$/);
});

test("a page never replaces the recording or the rules", async () => {
  const recording = join(fixture.folder, "kept.ndjson");
  const rules = join(fixture.folder, "kept.toml");
  writeFileSync(recording, readFileSync(referenceFile));
  writeFileSync(rules, "rule = []\n");
  for (const html of [recording, rules]) {
    const before = readFileSync(html, "utf8");
    const options = ["--rules", rules, "--html", html];
    const { code, err } = await fixture.run(["migrate", "compare", recording, ...options]);
    assert.equal(code, 2);
    assert.match(
      err,
      /^\S+ is the input file, not the place for a report\.\nChoose another name\./,
    );
    assert.equal(readFileSync(html, "utf8"), before);
  }
});

test("a recording that is not there, or has nothing to compare, is a failure", async () => {
  const missing = await fixture.run(["migrate", "compare", join(fixture.folder, "none.ndjson")]);
  assert.equal(missing.code, 69);
  assert.match(missing.err, /^File not found: \S+none\.ndjson\.$/m);
  const nothing: readonly (readonly (Exchange | string)[])[] = [
    [],
    ["\n\n"],
    ["{"],
    [{ ...lookUp, response: null, error: "No response." }],
  ];
  for (const lines of nothing) {
    const { code, err, report } = await compare(lines);
    assert.deepEqual([code, report.identical, report.explained, report.different], [69, 0, 0, 0]);
    assert.match(err, /^Nothing was compared\.$/m);
  }
});

test("a server that breaks off or switches protocols is reported as one without a response", async () => {
  const upgrade = "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n";
  const tunnel = "HTTP/1.1 200 OK\r\n\r\n";
  const connect = { ...lookUp, request: { ...lookUp.request, method: "CONNECT" } };
  const cases: readonly (readonly [string, Exchange])[] = [
    ["", lookUp],
    ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<a", lookUp],
    ["not HTTP\r\n\r\n", lookUp],
    [upgrade, lookUp],
    [tunnel, connect],
  ];
  for (const [text, exchange] of cases) {
    const server = createServer((socket) => socket.once("data", () => socket.end(text)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const html = join(fixture.folder, "none.html");
    const url = `http://127.0.0.1:${port}`;
    const { code, report, err } = await compare([exchange], "--ours", url, "--html", html);
    server.close();
    assert.deepEqual([code, report.withoutResponse, err], [69, 1, "Nothing was compared.\n"], text);
    assert.match(readFileSync(html, "utf8"), /Not compared/);
    rmSync(html);
  }
});

test("a command line without a recording needs the three addresses of a live comparison", async () => {
  for (const words of [[], ["--listen", "127.0.0.1:0", "--old", "http://127.0.0.1:1"]]) {
    const { code, err } = await fixture.run(["migrate", "compare", ...words]);
    assert.deepEqual(
      [code, err],
      [2, "Name a recording, or compare live with --listen, --old and --ours.\n"],
    );
  }
});

test("--ours sends side effects to that server only where they are asked for", async () => {
  const server = await startTestServer();
  const page = findReference("LogPageRequestAsync", "soap11");
  const without = await compare([page, lookUp], "--ours", server.url);
  assert.equal(without.report.notCompared, 1);
  const { report, code, err } = await compare(
    [page, lookUp],
    "--ours",
    server.url,
    "--with-side-effects",
  );
  assert.deepEqual([code, report.notCompared, report.different], [0, 0, 0]);
  assert.equal(err, `Warning: ${server.url} stores what the recording sends.\n`);
});

test("with a server of ours that is down nothing is compared, and the reason is reported", async () => {
  const { code, report } = await compare([lookUp], "--ours", "http://127.0.0.1:1");
  assert.deepEqual([code, report.different, report.notCompared], [69, 0, 1]);
  assert.match(report.reasons[0]?.reason ?? "", /nothing responds there/);
});

test("a namespace that clients do not use is named with the setting, beside the text of the fault", async () => {
  const other = openCliFixture(undefined, tools);
  after(() => other.close());
  const get = findReference("PostalCodeToCityState", "http-get");
  const file = join(other.folder, "old.ndjson");
  writeFileSync(file, [lookUp, get].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { out, code } = await other.run(["migrate", "compare", file]);
  assert.equal(code, 1);
  assert.match(out, /Fault, added: was nothing, is "Client: Unable to handle request/);
  const setting = "WFH_LOCATION_NAMESPACE=http://example.org/location/";
  const advice = `(the clients use another namespace: set ${setting})`;
  assert.equal(out.split(advice).length, 3, out);
});

test("calls over the limits of our server are refused as by the server itself", async () => {
  const get = findReference("PostalCodeToCityState", "http-get");
  const long = "x".repeat(10_000);
  const { report } = await compare([
    { ...get, request: { ...get.request, target: `${get.request.target}&a=${long}` } },
    { ...lookUp, request: { ...lookUp.request, body: { text: `<!--${long.repeat(8)}-->` } } },
  ]);
  const statuses = report.differences.flatMap(({ path, ours }) =>
    path === "status" ? [ours] : [],
  );
  assert.deepEqual(statuses.sort(), ["413", "414"]);
});

test("no secret of the old response reaches a report", async () => {
  const html = join(fixture.folder, "report.html");
  const { response } = lookUp;
  assert.ok(response !== null);
  const headers = [
    ...response.headers,
    "Set-Cookie",
    "s=s3cr3t-1; Path=/",
    "X-Api-Key",
    "s3cr3t-2",
  ];
  const secret = { ...lookUp, response: { ...response, headers } };
  const { report } = await compare([secret], "--html", html);
  assert.deepEqual(
    report.differences.map(({ path, old }) => [path, old]),
    [
      ["headers/Set-Cookie", "s; path=/"],
      ["headers/X-Api-Key", "(left out)"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(report) + readFileSync(html, "utf8"), /s3cr3t/);
});

test("a page for which the disk has no room is named, behind the report", async () => {
  const { code, report, err } = await compare([lookUp], "--html", "/dev/full");
  assert.equal(code, 69);
  assert.equal(report.calls.length, 1);
  assert.match(err, /^\/dev\/full: no space left on device\.$/m);
});
