import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { after, type TestContext, test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { LegacyLogInHasher, legacyLogInForm } from "../../src/secrets/legacy-log-in.ts";
import { createLegacyLogIn } from "../../src/server/log-in/legacy-log-in-client.ts";
import { endpointNamespace } from "../test-server.ts";
import { openSite, password } from "./log-in-server.ts";

const secret = "s3ntinel & <password>";

/** A function that asks at an address, and what it said of each time. */
function openAsking(url: string) {
  const ends: string[] = [];
  const onEnd = (end: string, reason?: string) =>
    void ends.push(reason === undefined ? end : `${end}: ${reason}`);
  return { ask: createLegacyLogIn({ url, namespace: endpointNamespace, onEnd }), ends };
}

const old = await openSite();
after(() => old.close());
await old.addAccount("Adä <&> Lovelace");
const oldUrl = old.url + ajaxEndpoint.path;

test("a genuine old server is asked, and says yes or no", async () => {
  const { ask, ends } = openAsking(oldUrl);
  assert.equal(await ask("Adä <&> Lovelace", password), true);
  assert.equal(await ask("Adä <&> Lovelace", secret), false);
  assert.equal(await ask("nobody", password), false);
  assert.deepEqual(ends, ["accepted", "refused", "refused"]);
});

/** Starts a server that writes a response, or nothing, to each connection and ends it. */
async function startRaw(t: TestContext, response: string | null | "reset") {
  let requests = 0;
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      requests += 1;
      if (response === "reset") socket.resetAndDestroy();
      else if (response !== null) socket.end(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/old.svc`, count: () => requests };
}

const ok = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/xml; charset=utf-8\r\n";
const failures: readonly [what: string, response: string | null, reason: RegExp][] = [
  ["hangs", null, /no response within 3 s/],
  ["resets the connection", "reset", /closed the connection before its response was complete/],
  ["closes the connection", "", /closed the connection before/],
  ["has an error", "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n<a/>", /status 500/],
  [
    "has a long page for errors",
    `HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n${"x".repeat(70_000)}`,
    /status 500/,
  ],
  [
    "redirects",
    `HTTP/1.1 302 Found\r\nLocation: ${oldUrl}\r\nContent-Length: 0\r\n\r\n`,
    /redirect/,
  ],
  ["sends HTML", `${ok}\r\n<html><body>Success<br></body></html>`, /not one of LogInUser/],
  ["sends less than it says", `${ok}Content-Length: 900\r\n\r\n<a>`, /./],
  ["sends more than a response", `${ok}\r\n${"x".repeat(70_000)}`, /too long/],
  [
    "sends a fault",
    `${ok}\r\n<s:Envelope xmlns:s="x"><s:Body><s:Fault/></s:Body></s:Envelope>`,
    /not one of LogInUser/,
  ],
  [
    "repeats the password outside of XML",
    `${ok}\r\n<a ${secret}`,
    /^failed: the response is not one of LogInUser\.$/,
  ],
];
for (const [what, response, reason] of failures) {
  test(`an old server that ${what} lets nobody in, and is left alone for a while`, async (t) => {
    const raw = await startRaw(t, response);
    const { ask, ends } = openAsking(raw.url);
    assert.equal(await ask("ada", secret), false);
    assert.equal(await ask("ada", secret), false);
    const [first = "", second] = ends;
    assert.match(first, /^failed: /);
    assert.match(first, reason);
    assert.doesNotMatch(first, /s3ntinel|ada/);
    assert.equal(second, "skipped");
    assert.equal(raw.count(), 1);
  });
}

test("an old server that is not there lets nobody in", async () => {
  const { ask, ends } = openAsking("http://127.0.0.1:1/old.svc");
  assert.equal(await ask("ada", secret), false);
  assert.match(ends[0] ?? "", /^failed: (?:nothing responds there|bad port)/);
});

test("not more than eight are asked for at once, and no text that XML cannot carry", async (t) => {
  const raw = await startRaw(t, null);
  const { ask, ends } = openAsking(raw.url);
  assert.equal(await ask("ada", "a\u0001b"), false);
  const all = Array.from({ length: 9 }, () => ask("ada", secret));
  assert.equal(await all[8], false);
  assert.deepEqual(ends, ["skipped", "skipped"]);
  await Promise.all(all);
  assert.equal(ends.filter((end) => end.startsWith("failed")).length, 8);
  assert.equal(raw.count(), 8);
});

test("the request is one of our own contract, with the action of WCF or ASMX", async (t) => {
  const received: { action: unknown; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    received.push({ action: request.headers["soapaction"], body });
    response.end("<a/>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const path of ["/x.svc", "/x.ASMX"]) {
    await openAsking(`http://127.0.0.1:${port}${path}`).ask(" ada", "\r\n& ");
  }
  const [wcf, asmx] = received;
  assert.equal(wcf?.action, '"http://example.org/forms/IWebFormsAjaxEndpoint/LogInUser"');
  assert.equal(asmx?.action, '"http://example.org/forms/LogInUser"');
  const parts = "<userName> ada</userName><passWord>&#xD;\n&amp; </passWord></LogInUser>";
  assert.ok(wcf?.body.includes(parts), wcf?.body);
});

test("a refusal takes as long for other names as asking took, and a right password does not", async (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const work = { memoryKib: 8, passes: 1, lanes: 1 };
  const ask = async () => {
    nowMs += 300;
    return false;
  };
  const hasher = new LegacyLogInHasher({ hashesAtOnce: 1, work, ask });
  const forms = [legacyLogInForm];
  assert.equal(await hasher.verify(`$${legacyLogInForm}$YWRh`, "wrong", forms), false);
  const own = await hasher.hash(password);
  assert.equal(await hasher.verify(own, password, forms), true);
  assert.equal(await hasher.verify(null, "wrong", []), false);
  for (const text of [null, own]) {
    let isRefused = false;
    const refusal = hasher.verify(text, "wrong", forms).finally(() => {
      isRefused = true;
    });
    t.mock.timers.tick(299);
    // One hash at a time: that of the refusal is done by then.
    await hasher.verify(own, password, forms);
    assert.equal(isRefused, false);
    t.mock.timers.tick(1);
    assert.equal(await refusal, false);
  }
});
