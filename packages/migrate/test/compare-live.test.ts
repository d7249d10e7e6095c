import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { startWfh } from "@wfh/cli/test/wfh-process.ts";
import { exchange } from "@wfh/server/test/exchange.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { type ComparisonReport, ComparisonTally } from "../src/compare/comparison-tally.ts";
import { LiveComparison, replay } from "../src/compare/replay.ts";
import { RuleBook } from "../src/compare/rules.ts";
import { tools } from "../src/tools.ts";
import { Upstream } from "../src/upstream.ts";
import { findReference, namespaces } from "./compare-fixture.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

const fixture = openCliFixture(undefined, tools);
after(() => fixture.close());
const settings = join(fixture.folder, "settings.toml");
writeFileSync(settings, readFileSync(settings, "utf8") + namespaces);

/** Compares two servers while `run` calls the old one; resolves to the exit code and the report. */
async function compareLive(
  sides: { readonly old: string; readonly ours: string },
  run: (url: string) => Promise<void>,
  ...options: string[]
) {
  const addresses = ["--listen", "127.0.0.1:0", "--old", sides.old, "--ours", sides.ours];
  const words = ["migrate", "compare", ...addresses, "--json", "--config", settings, ...options];
  const compare = startWfh(words, { settings: { WFH_DRAIN_MS: "0" } });
  after(compare.kill);
  await run(await compare.match(/Passing calls on from (\S+) to/));
  compare.signal("SIGINT");
  const code = await compare.ended();
  const report = compare.log.at(-1) as unknown as ComparisonReport;
  return { code, text: compare.output(), report };
}

function callOf(operation: string, binding: string): string {
  const { method, target, headers, body } = findReference(operation, binding).request;
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1]}` : []));
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${"text" in body ? body.text : ""}`;
}

const lookUp = callOf("PostalCodeToCityState", "soap11");
const found = findReference("PostalCodeToCityState", "soap11");
const body = found.response && "text" in found.response.body ? found.response.body.text : "";

/** A log-in over JSON. */
function logInWith(passWord: string): string {
  const content = JSON.stringify({ form_id: "1", userName: "bob", passWord });
  const head = `POST /api/WebFormsAjaxEndpoint.svc/LogInUser HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nCookie: .ASPXAUTH=${passWord}\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n`;
  return head + content;
}

/** An old server that responds as the reference does. */
async function startOld(): Promise<StandIn> {
  const old = await startStandIn("old");
  old.respond = (response) => {
    const headers = "content-TYPE text/xml X-Odd a x-odd b Set-Cookie s=c00kie".split(" ");
    const length = String(Buffer.byteLength(body));
    response.writeHead(200, "Fine", [...headers, "Content-Length", length]);
    response.end(body);
  };
  return old;
}

test("callers get the old response to the byte, and both servers are compared", async () => {
  const old = await startOld();
  const server = await startTestServer();
  const {
    code,
    report,
    text: out,
  } = await compareLive({ old: old.url, ours: server.url }, async (url) => {
    const direct = await exchange(old.url, lookUp);
    assert.match(direct, /^HTTP\/1\.1 200 Fine\r\ncontent-TYPE: text\/xml\r\nX-Odd: a\r\n/);
    // Date, and what belongs to each connection.
    const fixed = (response: string) =>
      response.replaceAll(/^(?:Date|Connection|Keep-Alive): .*\r\n/gm, "");
    assert.equal(fixed(await exchange(url, lookUp)), fixed(direct));
  });
  assert.equal(code, 1);
  assert.deepEqual(
    report.differences.map(({ path, kind }) => [path, kind]),
    [
      ["headers/content-TYPE", "value"],
      ["headers/x-odd", "missing"],
      ["headers/Set-Cookie", "missing"],
    ],
  );
  assert.doesNotMatch(out, /c00kie/);
});

test("calls at paths that are not set are named, with the settings", async () => {
  const old = await startOld();
  const sides = { old: old.url, ours: "http://127.0.0.1:1" };
  const { code, text } = await compareLive(sides, async (url) => {
    await exchange(url, lookUp.replace("/api/", "/Services/"));
  });
  assert.equal(old.arrived.length, 1);
  assert.equal(code, 69);
  assert.match(text, /^No call came\. If .* set WFH_LOCATION_PATHS and WFH_ENDPOINT_PATHS\.$/m);
});

const troubles: Readonly<Record<string, readonly [start: () => Promise<string>, reason: RegExp]>> =
  {
    "is down": [async () => "http://127.0.0.1:1", /nothing responds there/],
    hangs: [
      async () => {
        const hanging = await startStandIn("hanging");
        hanging.respond = () => {};
        return hanging.url;
      },
      /this server was too slow/,
    ],
    resets: [
      async () => {
        const resetting = createServer((socket) => socket.resetAndDestroy());
        await once(resetting.listen(0, "127.0.0.1"), "listening");
        after(() => resetting.close());
        const address = resetting.address();
        return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
      },
      /it closed the connection before its response was complete/,
    ],
  };

for (const [trouble, [startOurs, reason]] of Object.entries(troubles)) {
  test(`our server ${trouble}: callers do not notice, and it is counted`, async () => {
    const old = await startOld();
    const ours = await startOurs();
    const count = 40;
    const { code, report } = await compareLive({ old: old.url, ours }, async (url) => {
      for (let i = 0; i < count; i += 1) {
        assert.match(await exchange(url, lookUp), /<City>New York<\/City>/);
      }
    });
    assert.equal(old.arrived.length, count);
    assert.deepEqual([code, report.notCompared], [69, count]);
    assert.match(report.reasons[0]?.reason ?? "", reason);
  });
}

test("what waits for our server is bounded", async () => {
  const hanging = await startStandIn("hanging");
  hanging.respond = () => {};
  const ours = new Upstream({ name: "Ours", url: new URL(hanging.url), silenceMs: 60_000 });
  const comparison = new ComparisonTally(new RuleBook(), (redacted) => redacted);
  const live = new LiveComparison({
    server: ours,
    comparison,
    withSideEffects: true,
    isLive: true,
  });
  const text = "x".repeat(4_194_304);
  assert.ok(found.response);
  const large = { ...found, response: { ...found.response, body: { text } } };
  for (let i = 0; i < 40; i += 1) live.add(large);
  const { notCompared, reasons } = comparison.report();
  // 64 MiB are 15 of them with what else an exchange takes, and one more that goes beyond.
  assert.equal(notCompared, 24);
  assert.equal(reasons[0]?.reason, "this server was too slow");
  await live.close();
  ours.close();
  assert.equal(comparison.report().notCompared, 40);
});

test("log-ins and page requests reach our server only where they are asked for", async () => {
  const old = await startOld();
  const ours = await startStandIn("ours");
  const callAll = async (url: string) => {
    await exchange(url, callOf("LogPageRequestAsync", "soap11"));
    await exchange(url, callOf("LogInUser", "soap11"));
    await exchange(url, callOf("TryAutoLogIn", "soap11"));
    await exchange(url, lookUp);
  };
  const without = await compareLive({ old: old.url, ours: ours.url }, callAll);
  assert.equal(ours.arrived.length, 1);
  assert.equal(without.report.notCompared, 3);
  const { report } = await compareLive(
    { old: old.url, ours: ours.url },
    callAll,
    "--with-side-effects",
  );
  assert.equal(ours.arrived.length, 5);
  assert.equal(report.notCompared, 0);
});

test("no password reaches a report as a part of a body that is named as one of the head", async () => {
  const old = await startStandIn("old");
  const ours = await startStandIn("ours");
  const toBody = (text: string) => JSON.stringify({ status: text, headers: { a: text } });
  old.respond = (response) => response.end(toBody("s3cret-1"));
  ours.respond = (response) => response.end(toBody("other"));
  const { text, report } = await compareLive(
    { old: old.url, ours: ours.url },
    async (url) => void (await exchange(url, logInWith("s3cret-1"))),
    "--with-side-effects",
  );
  assert.deepEqual(
    report.differences.map((one) => [one.path, one.old, one.ours]),
    ["body/status", "body/headers/a"].map((path) => [path, "(left out)", "(left out)"]),
  );
  assert.doesNotMatch(text, /s3cret/);
});

test("no password reaches a report, even where both servers repeat it", async () => {
  const password = "pass-w0rd-s3cret";
  const old = await startStandIn("old");
  const ours = await startStandIn("ours");
  old.respond = (response) => response.end(`<a>wrong password ${password}</a>`);
  ours.respond = (response) => response.writeHead(500).end(`<a><b>${password}</b></a>`);
  const html = join(fixture.folder, "report.html");
  const { text: out, report } = await compareLive(
    { old: old.url, ours: ours.url },
    async (url) => void (await exchange(url, logInWith(password))),
    "--with-side-effects",
    "--html",
    html,
  );
  assert.match(ours.arrived[0]?.body ?? "", /pass-w0rd-s3cret/);
  assert.equal(report.differences[0]?.example.requestBody, "Left out: it may be a log-in.");
  assert.deepEqual(
    report.differences.map((one) => [one.path, one.old, one.ours]),
    [
      ["status", "200", "500"],
      ["a", "(left out)", "(left out)"],
      ["a/b", null, "(left out)"],
    ],
  );
  assert.doesNotMatch(out + readFileSync(html, "utf8"), /s3cret/);
});

test("a response that cannot be compared counts as none, and the next ones are compared", async () => {
  const failures = [new Error("broken")];
  const comparison = new ComparisonTally(new RuleBook(), (one) => {
    const failure = failures.pop();
    if (failure !== undefined) throw failure;
    return one;
  });
  const different = { status: 599, headers: [], body: Buffer.alloc(0) };
  await replay(Readable.from([found, found]), {
    server: { fetch: () => Promise.resolve(different) },
    comparison,
    withSideEffects: false,
    isLive: false,
  });
  const { withoutResponse, notCompared, different: count, reasons } = comparison.report();
  assert.deepEqual([withoutResponse, notCompared, count], [1, 1, 1]);
  assert.deepEqual(
    reasons.map(({ name }) => name),
    ["it cannot be compared: broken"],
  );
});
