import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ComparisonReport } from "../../src/migration/compare/comparison.ts";
import { RuleBook } from "../../src/migration/compare/rules.ts";
import { parseRules } from "../../src/migration/compare/rules-file.ts";
import type { Exchange } from "../../src/migration/exchange.ts";
import { openCliFixture } from "../cli/cli-fixture.ts";
import { startTestServer } from "../test-server.ts";
import { namespaces, readReference, referenceFile } from "./compare-fixture.ts";

const fixture = openCliFixture();
after(() => fixture.close());
const settings = join(fixture.folder, "settings.toml");
writeFileSync(settings, readFileSync(settings, "utf8") + namespaces);

/** Compares lines of a recording; resolves to the exit code, the report and the messages. */
async function compare(lines: readonly (Exchange | string)[], ...options: string[]) {
  const file = join(fixture.folder, "old.ndjson");
  const texts = lines.map((line) =>
    typeof line === "string" ? line : `${JSON.stringify(line)}\n`,
  );
  writeFileSync(file, texts.join(""));
  const { code, out, err } = await fixture.run(["migrate", "compare", file, "--json", ...options]);
  return { code, err, report: JSON.parse(out) as ComparisonReport };
}

function find(operation: string, binding: string): Exchange {
  const found = readReference().find(
    (one) => one.operation === operation && one.binding === binding && one.response?.status === 200,
  );
  assert.ok(found);
  return found;
}

/** The exchange with another old response. */
function replace(exchange: Exchange, pattern: string | RegExp, text: string): Exchange {
  const { response } = exchange;
  assert.ok(response !== null && "text" in response.body);
  const changed = response.body.text.replace(pattern, text);
  assert.notEqual(changed, response.body.text);
  return { ...exchange, response: { ...response, body: { text: changed } } };
}

const lookUp = find("PostalCodeToCityState", "soap11");

/** Requests for which the reference stack finds a place, and which this server refuses (decisions 0006 and 0009). */
const refusedHere = ["s11-badcharset", "s11-param-nil-content", "s11-wrapped-child"];
const isRefusedHere = ({ request }: Exchange) =>
  refusedHere.some((name) => request.headers.includes(name));
const taken = readReference().filter((one) => !isRefusedHere(one));

test("the reference stack differs from this server in nothing that no rule explains", async () => {
  const { code, err, report } = await compare(taken);
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
  const { code, report } = await compare(taken, "--with-side-effects");
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
      ...{ operation: "PostalCodeToCityState", binding: "soap11", kind: "value", count: 2 },
      ...{ path: "PostalCodeToCityStateResult/City", old: "Nueva York", ours: "New York" },
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

test("own rules explain values, each for its path, operation and binding", async () => {
  const file = join(fixture.folder, "rules.toml");
  const rule = (...lines: string[]) =>
    writeFileSync(
      file,
      ["[[rule]]", 'name = "own"', 'reason = "known"', 'path = "**/City"', ...lines, ""].join("\n"),
    );
  const result = async (line: Exchange) => {
    const { report } = await compare([line], "--rules", file);
    return report.different > 0 ? "different" : report.rules.map(({ name }) => name).join(" ");
  };
  const other = replace(lookUp, "<City>New York</City>", "<City>Nueva York</City>");
  const empty = replace(lookUp, "<City>New York</City>", "<City />");
  const missing = replace(lookUp, "<City>New York</City>", "");
  rule('kind = "ignore-value"', 'binding = "soap11"', 'operation = "PostalCodeToCityState"');
  assert.equal(await result(other), "own ids");
  assert.equal(await result(empty), "different");
  assert.equal(await result(missing), "different");
  rule('kind = "ignore-value"', 'binding = "json"');
  assert.equal(await result(other), "different");
  rule('kind = "matches"', 'old = "N.* York"', 'ours = "New York"');
  assert.equal(await result(other), "own ids");
  rule('kind = "matches"', 'old = "York"', 'ours = "New York"');
  assert.equal(await result(other), "different");
  rule('kind = "mapped"');
  assert.equal(await result(other), "own ids");
});

test("no rule explains another status, not even one for all paths", async () => {
  const file = join(fixture.folder, "rules.toml");
  const lines = ['name = "own"', 'reason = "known"', 'path = "**"', 'kind = "ignore-value"'];
  writeFileSync(file, ["[[rule]]", ...lines].join("\n"));
  const { response } = lookUp;
  assert.ok(response !== null);
  const other = { ...lookUp, response: { ...response, status: 203 } };
  const { report } = await compare([other], "--rules", file);
  assert.deepEqual(
    report.differences.map(({ path, old, ours }) => [path, old, ours]),
    [["status", "203", "200"]],
  );
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

test("dates are explained within the seconds of a rule", () => {
  const [rule] = parseRules({
    rule: [{ name: "clock", reason: "moments", path: "**/At", kind: "date-within", seconds: 5 }],
  });
  const rules = new RuleBook(rule && [rule]);
  const facts = { operation: null, binding: null };
  const nameOf = (old: string, ours: string) => {
    const found = rules.check(facts, { path: "d/At", kind: "value", old, ours });
    return found !== undefined && "name" in found ? found.name : found?.kind;
  };
  assert.equal(nameOf("2026-11-01T10:00:00Z", "2026-11-01T11:00:04+01:00"), "clock");
  assert.equal(nameOf("2026-11-01T10:00:00Z", "2026-11-01T10:00:06Z"), "value");
  assert.equal(nameOf("/Date(1000)/", "/Date(5999)/"), "clock");
  assert.equal(nameOf("/Date(1000)/", "/Date(6001)/"), "value");
  assert.equal(nameOf("2026-11-01T10:00:00Z", "soon"), "value");
});

test("a file of rules that cannot be used is refused with the place and what is allowed", async () => {
  const file = join(fixture.folder, "rules.toml");
  const rule = (...lines: string[]) => ["[[rule]]", ...lines].join("\n");
  const base = ['name = "own"', 'reason = "known"', 'path = "a"'];
  const refusals: readonly (readonly [string, RegExp])[] = [
    ["x = ", /rules\.toml.*line 1/],
    ["x = 1", /It must hold rules and nothing else/],
    [rule('name = "a"'), /Rule 1: kind must be one of ignore-value, mapped, date-within, matches/],
    [rule(...base, 'kind = "mapped"', 'ours = "x"'), /Rule 1: ours is not known\. Known are /],
    [rule(...base, 'kind = "mapped"', 'binding = "soap"'), /Rule 1: binding must be one of soap11/],
    [rule(...base, 'kind = "date-within"'), /Rule 1: seconds must be a number from 0/],
    [rule(...base, 'kind = "matches"', 'old = "("', 'ours = "x"'), /Rule 1: old is not a regular/],
    [rule(...base.slice(0, 2), 'path = "status"', 'kind = "mapped"'), /no rule explains another/],
  ];
  for (const [text, message] of refusals) {
    writeFileSync(file, text);
    const { code, err } = await fixture.run(["migrate", "compare", referenceFile, "--rules", file]);
    assert.equal(code, 2, text);
    assert.match(err, message);
  }
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
  assert.equal(code, 3);
  assert.equal(report.explained, 2);
  assert.match(err, /line 2: not JSON/);
  assert.match(err, /line 3: version 2 is not supported/);
  assert.match(err, /line 4: response is not an object/);
  assert.match(err, /line 6: incomplete, and left out/);
});

test("of many lines that cannot be read, the first are named, and the others counted", async () => {
  const { code, err } = await compare(Array<string>(1_000).fill("not a recording\n"));
  assert.equal(code, 3);
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
    assert.match(err, /--html \S+: this command reads that file\. Choose another name\./);
    assert.equal(readFileSync(html, "utf8"), before);
  }
});

test("a recording that is not there, or has nothing to compare, is a failure", async () => {
  const missing = await fixture.run(["migrate", "compare", join(fixture.folder, "none.ndjson")]);
  assert.equal(missing.code, 3);
  assert.match(missing.err, /none\.ndjson/);
  const nothing: readonly (readonly (Exchange | string)[])[] = [
    [],
    ["\n\n"],
    ["{"],
    [{ ...lookUp, response: null, error: "No response." }],
  ];
  for (const lines of nothing) {
    const { code, err, report } = await compare(lines);
    assert.deepEqual([code, report.identical, report.explained, report.different], [3, 0, 0, 0]);
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
    assert.deepEqual([code, report.withoutResponse, err], [3, 1, "Nothing was compared.\n"], text);
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
  const page = find("LogPageRequestAsync", "soap11");
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
  assert.deepEqual([code, report.different, report.notCompared], [3, 0, 1]);
  assert.match(report.reasons[0]?.reason ?? "", /nothing responds there/);
});

test("a namespace that clients do not use is named with the setting, beside the text of the fault", async () => {
  const other = openCliFixture();
  after(() => other.close());
  const get = find("PostalCodeToCityState", "http-get");
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
  const get = find("PostalCodeToCityState", "http-get");
  const long = "x".repeat(70_000);
  const { report } = await compare([
    { ...get, request: { ...get.request, target: `${get.request.target}&a=${long}` } },
    { ...lookUp, request: { ...lookUp.request, body: { text: `<!--${long}-->` } } },
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
