import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { newestSchemaVersion } from "@wfh/server/store/migrate.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { plainEnvironment, startServer, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { program, startWfh } from "./wfh-process.ts";

const databaseUrl = temporaryDatabase();

/** Runs a command beside a server. */
async function run(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const env = { ...plainEnvironment, WFH_DATABASE_URL: databaseUrl, ...settings };
  const child = spawn(process.execPath, [program, ...words], { env, timeout: 30_000 });
  const ended = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { code: child.exitCode, out, err };
}

function portsOf({ url, adminUrl }: { readonly url: string; readonly adminUrl: string }) {
  return { WFH_PORT: new URL(url).port, WFH_ADMIN_PORT: new URL(adminUrl).port };
}

test("wfh status of a ready server ends with 0 and shows what it works with", async (t) => {
  const server = await startServer({ WFH_DATABASE_URL: databaseUrl });
  t.after(() => server.close());
  const { code, out } = await run(["status", "--json"], portsOf(server));
  assert.equal(code, 0);
  const { startedAt, postalDataDate, database, ...state } = JSON.parse(out);
  assert.deepEqual(state, {
    state: "ready",
    url: server.url,
    version: (await run(["--version"])).out.trim(),
    reason: null,
    nodes: 1,
    queuedPageRequests: 0,
  });
  assert.match(startedAt, /^\d{4}-\d\d-\d\dT/);
  assert.match(postalDataDate, /^\d{4}-\d\d-\d\d$/);
  assert.equal(database.schemaVersion, newestSchemaVersion);
  const shown = await run(["status"], { WFH_PORT: new URL(server.url).port });
  assert.match(
    shown.out,
    /^Server +ready at http:.*\nVersion +\S+\nPostal data +of \S+\nDatabase .*schema \d+\n$/,
  );
});

test("wfh status without a server ends with 1 and says so", async () => {
  const WFH_PORT = String(await freePort());
  const { code, out } = await run(["status"], { WFH_PORT, WFH_DATABASE_URL: "sqlite:/none/a.db" });
  assert.equal(code, 1);
  assert.match(
    out,
    new RegExp(`^Server +not running: nothing responds at http://127.0.0.1:${WFH_PORT}$`, "m"),
  );
  assert.match(out, /^Database +The database \/none\/a\.db cannot be used: .*not found: \S+$/m);
  const free = await run(["status"], { WFH_PORT: "0" });
  assert.deepEqual([free.code, /^Server +unknown: WFH_PORT=0 picks/.test(free.out)], [1, true]);
});

for (const [what, health, shown] of [
  [
    "a server that is not ready",
    '{"status":"ok"}',
    /^Server +not ready at .* \(draining\): see its log$/m,
  ],
  ["another program", "hello", /^Server +not running: another program uses http/m],
] as const) {
  test(`wfh status beside ${what} ends with 1 and says so`, async (t) => {
    const other = createServer(({ url }, response) => {
      response.statusCode = url === "/readyz" ? 503 : 200;
      response.end(url === "/readyz" ? '{"status":"unavailable","reason":"draining"}' : health);
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const { code, out } = await run(["status"], {
      WFH_PORT: String((other.address() as AddressInfo).port),
    });
    assert.equal(code, 1);
    assert.match(out, shown);
  });
}

/** Starts `wfh serve`; resolves to the address that it logs. */
async function serve(
  t: TestContext,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const server = startWfh(["serve", ...words], {
    settings: { WFH_DATABASE_URL: temporaryDatabase(), ...settings },
  });
  t.after(server.kill);
  const { url } = await server.line(({ msg }) => msg === "listening");
  return String(url);
}

test("wfh serve --port and --host win over the settings", async (t) => {
  const port = String(await freePort());
  const settings = { WFH_PORT: "tcp://10.0.0.1:80", WFH_HOST: "192.0.2.1" };
  const url = await serve(t, ["--port", port, "--host", "127.0.0.1"], settings);
  assert.equal(url, `http://127.0.0.1:${port}`);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

const refusals: readonly [words: readonly string[], message: RegExp][] = [
  [["--port", "65536"], /^--port 65536: expected a whole number from 0 to 65535\n$/],
  [["--host", "a b"], /^--host a b: expected a host name or an IP address/],
];
for (const [words, message] of refusals) {
  test(`wfh serve ${words.join(" ")} ends with 2`, () => {
    const { status, stderr } = spawnSync(process.execPath, [program, "serve", ...words], {
      encoding: "utf8",
      env: plainEnvironment,
    });
    assert.equal(status, 2);
    assert.match(stderr, message);
  });
}

test("wfh serve on a port that is taken names the option and the settings", async (t) => {
  const port = String(await freePort());
  await serve(t, ["--port", port]);
  const { code, err } = await run(["serve", "--port", port], {
    WFH_DATABASE_URL: temporaryDatabase(),
  });
  assert.equal(code, 69);
  assert.match(
    err,
    new RegExp(
      `^Cannot listen on 127\\.0\\.0\\.1:${port}\\. That port is taken\\. .*--port or WFH_PORT`,
    ),
  );
});
