import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { buffer, text } from "node:stream/consumers";
import { after, beforeEach, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startStandIn, until } from "@wfh/migrate/test/stand-in.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startNginx } from "../harness/nginx.ts";
import { routeBlock } from "../harness/nginx-examples.ts";
import { prepareProxy } from "../harness/tls-proxy.ts";
import {
  elementOf,
  endpoint,
  envelope,
  location,
  old,
  operations,
  ours,
  route,
  type Sent,
  send,
  setRules,
  skip,
  soap12,
  startRoute,
  statOf,
} from "./haproxy-route-fixture.ts";

// examples/haproxy-route.cfg switches operations between two servers.

const lookUp: Sent = [`${location}/PostalCodeToCityState?postalCode=10001`];
const pageRequest: Sent = [`${endpoint}/LogPageRequestAsync`, {}, "{}"];

beforeEach(() => {
  ours.respond = (response) => response.end("new");
  old.arrived.length = 0;
  ours.arrived.length = 0;
});

describe("HAProxy between two servers", { skip }, () => {
  test("sends a share of the clients to the new one, each always to the same side", async () => {
    const sides = async (rule: string) => {
      await setRules(() => rule);
      const clients = Array.from({ length: 80 }, (_, i) => `203.0.113.${i}, 10.0.0.1`);
      const calls = clients.map((client) => send([lookUp[0], { "X-Forwarded-For": client }]));
      return Promise.all(calls);
    };
    const quarter = await sides("new:25");
    const count = quarter.filter((side) => side === "new").length;
    assert.ok(count > 8 && count < 35, `${count} of 80`);
    assert.deepEqual(await sides("new:25"), quarter);
    const half = await sides("new-or-old:50");
    assert.ok(half.every((side, i) => side === "new" || quarter[i] === "old"));
    assert.deepEqual(new Set(await sides("new:100")), new Set(["new"]));
    assert.deepEqual(new Set(await sides("new:0")), new Set(["old"]));
  });

  test("tells the new one the address of the caller, the old one nothing more than was sent", async () => {
    const headersAt = async ({ arrived }: typeof old, rule: string) => {
      await setRules(() => rule);
      const hiding = { Connection: "close, X-Forwarded-For", "X-Forwarded-For": "203.0.113.7" };
      await send([lookUp[0], { ...hiding, Host: "old.example.com" }]);
      return arrived.at(-1)?.headers.join("\n").toLowerCase();
    };
    const sent = "host\nold.example.com\nconnection\nx-forwarded-for\nx-forwarded-for\n203.0.113.7";
    assert.equal(await headersAt(old, "old"), sent);
    assert.equal(await headersAt(ours, "new"), `${sent}\nx-forwarded-for\n127.0.0.1`);
  });

  test("sends everything to the old one while the map is cleared, and where a rule is misspelled", async () => {
    await setRules(() => "nwe");
    assert.equal(await send(lookUp), "old");
    await setRules(() => "new");
    assert.equal(await send(lookUp), "new");
    await route.run("clear map MAP");
    assert.equal(await send(lookUp), "old");
    for (const name of operations) await route.run(`add map MAP ${name} new`);
    assert.equal(await send(lookUp), "new");
  });
});

describe("HAProxy with the old server as the backup of the new one", { skip }, () => {
  test("uses the old one while the new one is not ready", async () => {
    await setRules(() => "new-or-old");
    let isReady = false;
    ours.respond = (response, { url }) => {
      response.statusCode = isReady || url !== "/readyz" ? 200 : 503;
      response.end("new");
    };
    // Each of them gets its response, whichever side that is from.
    await until(async () => (await send(lookUp)) === "old", "the old one");
    assert.match(await statOf("new-or-old", "new", "status"), /^DOWN/);
    isReady = true;
    await until(async () => (await send(lookUp)) === "new", "the new one again");
  });

  test("uses the old one as soon as the new one refuses connections", async () => {
    const leaving = await startStandIn("new");
    const own = await startRoute(leaving.url);
    after(own.stop);
    await setRules(() => "new-or-old", own);
    assert.equal(await send(pageRequest, own), "new");
    await leaving.close();
    for (let i = 0; i < 3; i += 1) assert.equal(await send(pageRequest, own), "old");
  });

  test("sends a page request that the new one has received to no other", async () => {
    await setRules(() => "new-or-old");
    await until(async () => (await send(lookUp)) === "new", "the new one is ready");
    old.arrived.length = 0;
    ours.respond = (response, { url }) =>
      url === "/readyz" ? response.end() : response.socket?.resetAndDestroy();
    assert.match(await send(pageRequest), /502 Bad Gateway/);
    assert.deepEqual(old.arrived, []);
  });
});

/** Calls at the same time. */
const callers = 8;
/** Number of switches, each after so many calls. */
const { switches, callsEach } =
  process.env["TEST_LEVEL"] === "full"
    ? { switches: 60, callsEach: 1_000 }
    : { switches: 6, callsEach: 50 };

/** Sends look-ups and page requests over TLS, on connections that are kept, until it is stopped. */
function startLoad(url: string, ca: Buffer) {
  const agent = new Agent({ keepAlive: true, ca });
  const found = { sent: 0, failed: [] as string[] };
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      const id = `id-${found.sent++}-`;
      const calls: readonly Sent[] = [
        lookUp,
        [pageRequest[0], {}, id],
        [endpoint, soap12, envelope(elementOf("LogPageRequestAsync"), id)],
      ];
      const [target, headers = {}, body] = calls[found.sent % calls.length] ?? lookUp;
      const sent = request(url + target, { agent, headers, method: body ? "POST" : "GET" });
      const response = once(sent.end(body), "response") as Promise<[IncomingMessage]>;
      const outcome = await response.then(([one]) => text(one)).catch(String);
      if (outcome !== "old" && outcome !== "new") found.failed.push(outcome);
    }
  };
  const ended = Promise.all(Array.from({ length: callers }, caller));
  return async () => {
    isOver = true;
    await ended;
    agent.destroy();
    return found;
  };
}

describe("behind nginx with TLS", { skip }, () => {
  test("no call fails and none arrives twice while operations are switched under load", async (t) => {
    const { url, authority, start } = await prepareProxy({ limitsLogIns: false });
    await start(route.url);
    const stop = startLoad(url, readFileSync(authority));
    for (let i = 0; i < switches; i += 1) {
      const [side, rule] = i % 2 === 0 ? [ours, "new"] : [old, "old"];
      await setRules(() => rule);
      const before = side.arrived.length;
      await until(() => side.arrived.length >= before + callsEach, `switch ${i}`);
    }
    const { sent, failed } = await stop();
    t.diagnostic(`${sent} calls, ${switches} switches, ${failed.length} failed`);
    assert.deepEqual(failed, []);
    const ids = [...old.arrived, ...ours.arrived].flatMap(
      ({ body }) => /id-\d+-/.exec(body)?.[0] ?? [],
    );
    assert.ok(ids.length > sent / 2);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("a response is compressed, and SOAP is recognized", async () => {
    const { url, authority, start } = await prepareProxy();
    await start(route.url);
    await setRules((one) => (one === "LogPageRequestAsync" ? "new" : "old"));
    const page = "<p>new</p>".repeat(100);
    ours.respond = (response) => response.setHeader("Content-Type", "text/html").end(page);
    const headers = { ...soap12, "Accept-Encoding": "gzip" };
    const options = { ca: readFileSync(authority), method: "POST", headers, agent: false as const };
    const sent = request(url + endpoint, options).end(envelope(elementOf("LogPageRequestAsync")));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(response.headers["content-encoding"], "gzip");
    assert.equal(gunzipSync(await buffer(response)).toString(), page);
  });

  test("of examples/nginx-route.conf, the old server gets everything without HAProxy", async () => {
    const own = await startRoute();
    const port = await freePort();
    const hosts = [own.url, old.url].map((url) => new URL(url).host) as [string, string];
    const nginx = await startNginx(temporaryFolder(), routeBlock(port, ...hosts));
    after(nginx.stop);
    const front = { url: `http://127.0.0.1:${port}` };
    await setRules(() => "new", own);
    assert.match(await send(lookUp, front), /new/);
    assert.match(await send(["/default.aspx"], front), /old/);
    await own.stop();
    for (let i = 0; i < 3; i += 1) assert.match(await send(lookUp, front), /old/);
  });
});
