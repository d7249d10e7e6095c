import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { accessChecks } from "@wfh/console/access/access-checks.ts";
import {
  type OperatorSite,
  presentMs,
  startOperatorSite,
} from "@wfh/console/test/operator-site.ts";
import { runChecks } from "@wfh/server/lib/check.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { type Nginx, startNginx } from "../harness/nginx.ts";
import { operatorBlock } from "../harness/nginx-examples.ts";
import { missingProxy } from "../harness/tls-proxy.ts";

// examples/nginx-operator.conf in front of a server, with a stand-in for oauth2-proxy.

const folder = temporaryFolder();
const secretFile = join(folder, "secret");
const nginxSecretFile = join(folder, "wfh-proxy-secret.conf");
writeFileSync(secretFile, "s".repeat(64));
chmodSync(secretFile, 0o600);
writeFileSync(nginxSecretFile, `proxy_set_header X-Wfh-Proxy-Secret "${"s".repeat(64)}";\n`);

const email = "ada@example.org";
const logIn = { Cookie: "_oauth2_proxy=ada" };

/** Responds as oauth2-proxy does: 202 with the e-mail address, or 401. */
async function startOauth2Proxy() {
  const server = createServer((request, response) => {
    const isIn = request.headers.cookie?.includes(logIn.Cookie) === true;
    if (isIn) response.setHeader("X-Auth-Request-Email", email);
    response.writeHead(isIn ? 202 : 401).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let site: OperatorSite;
let nginx: Nginx;
let configuration: string;
let url: string;
let oauth2Proxy: Awaited<ReturnType<typeof startOauth2Proxy>>;
const settings = {
  WFH_TRUSTED_PROXIES: "127.0.0.1",
  WFH_OPERATOR_PROXY_HEADER: "X-Forwarded-User",
  WFH_OPERATOR_PROXY_SECRET_FILE: secretFile,
};

function visit(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url + path, { headers, redirect: "manual" });
}

async function checkForgedHeader() {
  const { config } = readConfig(undefined, { ...settings, WFH_BASE_URL: url });
  const operators = await site.queries.operators.list(presentMs);
  const findings = await runChecks(accessChecks, {
    config,
    nowMs: presentMs,
    key: null,
    readers: { operators, tokens: [] },
  });
  return findings.find(({ check }) => check === "forged-header")?.level;
}

describe("the operator's page behind oauth2-proxy", { skip: missingProxy ?? false }, () => {
  before(async () => {
    site = await startOperatorSite(settings);
    await site.addOperator(email, { hash: null });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const server = new URL(site.url).host;
    oauth2Proxy = await startOauth2Proxy();
    configuration = operatorBlock({
      port,
      server,
      oauth2Proxy: oauth2Proxy.address,
      secretFile: nginxSecretFile,
    });
    nginx = await startNginx(folder, configuration);
  });
  after(async () => {
    await nginx.stop();
    oauth2Proxy.server.close();
    await site.close();
  });

  test("an operator of oauth2-proxy is logged in", async () => {
    const response = await visit("/operator", logIn);
    assert.equal(response.status, 200);
    const body = await response.text();
    assert.match(body, /ada@example\.org/);
    assert.doesNotMatch(body, /Log out/);
  });

  test("a visitor is sent to the log-in of oauth2-proxy", async () => {
    const response = await visit("/operator/events?days=7");
    assert.equal(response.status, 302);
    assert.match(
      response.headers.get("location") ?? "",
      /\/oauth2\/start\?rd=\/operator\/events\?days=7$/,
    );
  });

  test("a visitor's own header and secret are not passed on", async () => {
    const forged = { "X-Forwarded-User": email, "X-Wfh-Proxy-Secret": "s".repeat(64) };
    for (const path of ["/operator", "//operator", "/x/../operator", "/operator/", "/%6fperator"]) {
      const response = await visit(path, forged);
      assert.notEqual(response.status, 200, path);
      assert.ok(!(await response.text()).includes(email), path);
    }
    const other = await visit("/operator", { ...logIn, "X-Forwarded-User": "somebody" });
    assert.match(await other.text(), /ada@example\.org/);
  });

  test("doctor tells this configuration from one that passes headers on", async () => {
    assert.equal(await checkForgedHeader(), "ok");
    const careless = configuration
      .replace("auth_request /oauth2/auth;", "")
      .replace("proxy_set_header X-Forwarded-User $wfh_operator;", "");
    await nginx.reload(careless);
    assert.equal(await checkForgedHeader(), "problem");
    await nginx.reload(configuration);
  });
});
