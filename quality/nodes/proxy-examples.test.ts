import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get, request } from "node:https";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { freePort } from "@wfh/server/test/free-port.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import { haproxyTls, missingHaproxy, startHaproxy } from "../harness/haproxy-examples.ts";
import { missingProxy, prepareProxy } from "../harness/tls-proxy.ts";

// examples/nginx.conf and examples/haproxy.cfg in front of a server, over TLS.

const folder = temporaryFolder();

interface Front {
  readonly url: string;
  readonly plainUrl: string;
  readonly authority: string;
}

type Start = (upstream: string) => Promise<Front>;

const nginx: Start = async (upstream) => {
  const { url, plainUrl, authority, start } = await prepareProxy();
  await start(upstream);
  return { url, plainUrl, authority };
};

const haproxy: Start = async (upstream) => {
  const { authority } = await prepareProxy();
  const port = await freePort();
  const plainPort = await freePort();
  const certificate = join(folder, "both.pem");
  const key = join(authority, "../key.pem");
  writeFileSync(certificate, readFileSync(authority, "utf8") + readFileSync(key, "utf8"));
  const nodePort = Number(new URL(upstream).port);
  const configuration = haproxyTls({ port, plainPort, certificate }, [nodePort]);
  const { stop } = await startHaproxy(folder, configuration, port);
  after(stop);
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    authority,
  };
};

interface Sent {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Address of the client. */
  readonly from?: string;
}

/** Sends a request over TLS; resolves to status and body. */
async function send({ url, authority }: Front, { path, headers = {}, body, from }: Sent) {
  const options = {
    ca: readFileSync(authority),
    agent: false as const,
    headers,
    family: 4,
    ...(from !== undefined && { localAddress: from }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent =
    body === undefined
      ? get(url + path, options, resolve)
      : request(url + path, { ...options, method: "POST" }, resolve).end(body);
  sent.on("error", reject);
  const response = await promise;
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const json = { "Content-Type": "application/json" };
const soap12 = (action: string) => ({
  "Content-Type": `application/soap+xml; charset=utf-8; action="${action}"`,
});
const action = "http://tempuri.org/IWebFormsAjaxEndpoint/LogInUser";
const pageRequest = action.replace("LogInUser", "LogPageRequestAsync");

/** All ways to log in. The bodies cannot be read, so that none of them costs a hash. */
const logIns: Readonly<Record<string, Sent>> = {
  JSON: { path: `${endpoint}/LogInUser`, headers: json, body: "{" },
  "SOAP 1.1": {
    path: endpoint,
    headers: { "Content-Type": "text/xml", SOAPAction: `"${action}"` },
    body: "<",
  },
  "SOAP 1.2": { path: endpoint, headers: soap12(action), body: "<" },
  "SOAP 1.2 with its action in the envelope": {
    path: endpoint,
    headers: { "Content-Type": "application/soap+xml; charset=utf-8" },
    body: "<",
  },
  "SOAP 1.2 with another header": {
    path: endpoint,
    headers: { "Content-Type": "application/soap+xml", SOAPAction: `"${pageRequest}"` },
    body: "<",
  },
  "SOAP 1.2 with an escaped action": {
    path: endpoint,
    headers: soap12(action.replace("User", "\\User")),
    body: "<",
  },
  "SOAP 1.1 with its action in the envelope": {
    path: endpoint,
    headers: { "Content-Type": "text/xml" },
    body: "<",
  },
  "SOAP 1.1 with an escaped action": {
    path: endpoint,
    headers: { "Content-Type": "text/xml", SOAPAction: `"${action.replace("User", "Use%72")}"` },
    body: "<",
  },
  "SOAP 1.1 at the path of an old server": {
    path: "/Services/Forms.svc,/Services/Forms.svc/soap12",
    headers: { "Content-Type": "text/xml" },
    body: "<",
  },
  "SOAP 1.2 at the address of an old endpoint": {
    path: "/services/Forms.SVC/soap12",
    headers: { "Content-Type": "application/soap+xml" },
    body: "<",
  },
  "JSON at the path of an old server": {
    path: "/services/FORMS.svc/LogInUser",
    headers: json,
    body: "{",
  },
  "an escaped path": { path: `${endpoint}/LogInUse%72`, headers: json, body: "{" },
  REST: { path: "/api/v1/log-in", headers: json, body: "{" },
};

const proxies = [
  { name: "examples/nginx.conf", start: nginx, skip: missingProxy, atOnce: 30 },
  {
    name: "examples/haproxy.cfg",
    start: haproxy,
    skip: missingHaproxy || missingProxy,
    atOnce: 60,
  },
];

/** All start before the first test, so that none is cleaned up before the end. */
const started = await Promise.all(
  proxies.map(async ({ start, skip, ...proxy }) => {
    if (skip) return { ...proxy, skip };
    const server = await startServer({
      WFH_TRUSTED_PROXIES: "127.0.0.1",
      WFH_BASE_URL: "https://forms.example.org",
      WFH_ENDPOINT_PATHS: "/Services/Forms.svc",
    });
    after(() => server.close());
    return { ...proxy, skip: false as const, server, front: await start(server.url) };
  }),
);

for (const proxy of started) {
  const { name, atOnce } = proxy;
  if (proxy.skip !== false) {
    test(name, { skip: proxy.skip }, () => {});
    continue;
  }
  const { server, front } = proxy;
  describe(name, () => {
    test("serves over TLS", async () => {
      const { status, text } = await send(front, { path: lookUp });
      assert.equal(status, 200);
      assert.match(text, /<City>New York<\/City>/);
    });
    test("leads from plain HTTP to TLS, with path and query", async () => {
      const response = await fetch(front.plainUrl + lookUp, { redirect: "manual" });
      assert.equal(response.status, 301);
      const { protocol, pathname, search } = new URL(response.headers.get("location") ?? "");
      assert.equal(protocol, "https:");
      assert.equal(pathname + search, lookUp);
    });
    test("tells the server who the client is, whatever the client claims", async () => {
      const claimed = { ...json, "X-Forwarded-For": "203.0.113.9" };
      const body = '{"userName":"eve","passWord":"x"}';
      await send(front, {
        path: `${endpoint}/LogInUser`,
        headers: claimed,
        body,
        from: "127.1.2.3",
      });
      const line = server.log.find((text) => text.includes("log-in-refused")) ?? "";
      assert.match(line, /"network":"127\.1\.2\.0\/24"/);
    });
    test("limits how often an address logs in, over each binding, and nothing else", async () => {
      const logIn = logIns["JSON"] ?? assert.fail();
      const statuses: (number | undefined)[] = [];
      for (let i = 0; i < atOnce; i += 1) statuses.push((await send(front, logIn)).status);
      assert.ok(!statuses.includes(503), `${statuses}`);
      // One more may get through each second.
      for (const [binding, sent] of Object.entries(logIns)) {
        for (let left = atOnce; (await send(front, sent)).status !== 503; left -= 1) {
          assert.ok(left > 0, `${binding} is never refused`);
        }
      }
      const logged = { path: `${endpoint}/LogPageRequestAsync`, headers: json, body: "{}" };
      const soap11 = { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${pageRequest}"` };
      for (const headers of [soap11, soap12(pageRequest)]) {
        assert.notEqual((await send(front, { path: endpoint, headers, body: "<" })).status, 503);
      }
      const beacon = { ...logged, headers: { "Content-Type": "text/plain;charset=UTF-8" } };
      const old = { ...logged, path: "/Services/Forms.svc/soap12/LogPageRequestAsync" };
      for (const sent of [logged, beacon, old]) {
        assert.notEqual((await send(front, sent)).status, 503);
      }
      assert.equal((await send(front, { path: lookUp })).status, 200);
      assert.notEqual((await send(front, { ...logIn, from: "127.1.2.4" })).status, 503);
    });
  });
}
