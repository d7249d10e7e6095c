import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { startListening } from "../harness/listening-program.ts";
import { nginxAlone } from "../harness/nginx.ts";

const server = await startTestServer({ WFH_BASE_URL: "https://forms.example.org" });
const lookUp = `${locationHelper.path}/PostalCodeToCityState?postalCode=10001`;

test("the admin listener serves what the main port serves", async () => {
  const responses = [server.url, server.adminUrl].map(async (url) =>
    (await fetch(url + lookUp)).text(),
  );
  const [main, admin] = await Promise.all(responses);
  assert.equal(admin, main);
  assert.match(admin ?? "", /New York/);
});

/** A proxy that leaves no trace in what it forwards, as each can be configured. */
interface Proxy {
  readonly name: string;
  readonly command: string;
  configuration(port: number, upstream: string): string;
  args(file: string, folder: string): readonly string[];
}

const proxies: readonly Proxy[] = [
  {
    name: "nginx with keep-alive upstreams",
    command: "nginx",
    configuration: (port, upstream) =>
      nginxAlone(`
        upstream wfh { server ${upstream}; keepalive 8; }
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://wfh;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
          }
        }
      `),
    args: (file, folder) => ["-p", folder, "-c", file, "-e", "stderr"],
  },
  {
    name: "HAProxy without forwardfor",
    command: "haproxy",
    configuration: (port, upstream) => `
      defaults
        mode http
        timeout connect 5s
        timeout client 5s
        timeout server 5s
      listen wfh
        bind 127.0.0.1:${port}
        server wfh ${upstream}
    `,
    args: (file) => ["-db", "-f", file],
  },
];

for (const proxy of proxies) {
  const { name, command } = proxy;
  const isMissing = spawnSync(command, ["-v"]).error !== undefined;
  test(`${name} shows no caller what is for the operator, whatever Host says`, {
    skip: isMissing && `${command} is not installed`,
  }, async () => {
    const url = await startProxy(proxy, new URL(server.url).host);
    assert.equal((await get(url, lookUp)).status, 200);
    assert.equal((await get(url, "/metrics")).status, 403);
    const page = await get(url, "/api/WebFormsAjaxEndpoint.svc?op=LogInUser");
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.body, /<form/);
  });
}

async function get(url: string, target: string) {
  const fields = "Host: localhost\r\nConnection: close";
  return readResponse(await exchange(url, `GET ${target} HTTP/1.1\r\n${fields}\r\n\r\n`));
}

async function startProxy(proxy: Proxy, upstream: string): Promise<string> {
  const folder = temporaryFolder(quickFolder);
  mkdirSync(join(folder, "logs"));
  const file = join(folder, "proxy.conf");
  const port = await freePort();
  writeFileSync(file, `${proxy.configuration(port, upstream)}\n`);
  const { stop } = await startListening([proxy.command, ...proxy.args(file, folder)], port);
  after(stop);
  return `http://127.0.0.1:${port}`;
}
