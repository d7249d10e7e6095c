import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { startService } from "@wfh/server/index.ts";
import { holdOpening } from "@wfh/server/test/held-database.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { program, startWfh } from "./wfh-process.ts";

/** Starts a server by a command of the shell that runs its arguments. */
function startServer(shell: string, settings: Readonly<Record<string, string>> = {}) {
  return startWfh(["serve"], {
    command: ["sh", "-c", shell, "sh", process.execPath, program],
    settings: { WFH_DATABASE_URL: temporaryDatabase(), ...settings },
  });
}

after(killPrograms);

test("SIGUSR1 opens no inspector", async () => {
  const server = startServer('exec "$@"');
  const { url } = await server.line(({ msg }) => msg === "listening");
  server.signal("SIGUSR1");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  server.signal("SIGTERM");
  assert.equal(await server.ended(), 0);
  assert.doesNotMatch(server.output(), /debugger|inspector/i);
});

test("connections that no file descriptor is left for are logged, with what to do", async () => {
  const server = startServer('ulimit -n 80; exec "$@"');
  const { url } = await server.line(({ msg }) => msg === "listening");
  const { hostname, port } = new URL(String(url));
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on("error", () => {});
  const line = await server.line(({ msg }) => /no file descriptors are left/.test(msg ?? ""));
  assert.match(JSON.stringify(line), /EMFILE.*LimitNOFILE.*WFH_CONNECTIONS_MAX/);
  for (const socket of sockets) socket.destroy();
  await server.kill();
});

test("a start that fails while its database does not respond ends, and says why", async (t) => {
  const databaseUrl = temporaryDatabase();
  holdOpening(t, databaseUrl);
  const server = startServer('exec "$@"', {
    WFH_DATABASE_URL: databaseUrl,
    WFH_LEGACY_MACHINE_KEY_FILE: "/missing/web.config",
    WFH_LEGACY_COOKIE_UNTIL: "2099-01-01",
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  });
  const { cause } = await server.line(({ msg }) => msg === "stopped");
  assert.match(String(cause), /web\.config/);
  // An exit would wait for the thread: it kills itself.
  assert.equal(await server.ended(), null);
});

test("startService() and its close() do not wait for a database that does not respond", async (t) => {
  const settings = {
    WFH_PORT: "0",
    WFH_DATABASE_URL: temporaryDatabase(),
    WFH_DRAIN_MS: "0",
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  };
  holdOpening(t, settings.WFH_DATABASE_URL);
  const server = await startService({ settings, log: { write: () => {} } });
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal(await server.close(), false);
});

test("a start with a setting that cannot be used ends as one, and says only that", async () => {
  const server = startServer('exec "$@"', {
    WFH_OPERATOR_PROXY_HEADER: "X-Forwarded-User",
    WFH_OPERATOR_PROXY_SECRET_FILE: "/missing/secret",
  });
  assert.equal(await server.ended(), 78);
  assert.match(server.output(), /^WFH_OPERATOR_PROXY_SECRET_FILE=.*there is no such file/m);
  assert.deepEqual(
    server.log.filter(({ level }) => level === "error"),
    [],
  );
});
