import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, test } from "node:test";
import {
  endServerProcess,
  program,
  startServerProcess,
  withSocket,
} from "@wfh/cli/test/wfh-process.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { plainEnvironment, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { startPageLoad } from "../harness/page-load.ts";
import { openSharedSocket } from "../harness/shared-socket.ts";

// Servers on a socket that this process keeps for them, as the units in examples/ have it.

after(killPrograms);

const socket = openSharedSocket();
after(() => socket.close());

const [, postgres] = await startEngines();

const drained = { WFH_DRAIN_MS: "200" };

test("a server listens on the socket that it is given, which outlives it", async () => {
  const settings = { WFH_DATABASE_URL: temporaryDatabase(), WFH_HOST: "192.0.2.1", ...drained };
  const first = await startServerProcess(settings, { socket: socket.fd });
  assert.equal(first.url, socket.url);
  const load = startPageLoad(socket.port);
  await load.calls(50);
  await endServerProcess(first);
  const second = await startServerProcess(settings, { socket: socket.fd });
  await load.calls(50);
  assert.deepEqual(Object.keys(await load.stop()), ["200"]);
  await endServerProcess(second);
});

test("a second server on the same SQLite file is refused, and the first one goes on", async () => {
  const settings = { WFH_DATABASE_URL: temporaryDatabase() };
  const first = await startServerProcess(settings, { socket: socket.fd });
  const second = serve({ ...settings, WFH_PORT: "0" });
  assert.equal(second.status, 69);
  assert.match(
    second.stderr,
    /^Another server has the SQLite file .* open\. Stop it, or use Postg/,
  );
  assert.equal((await fetch(`${socket.url}/readyz`)).status, 200);
  await endServerProcess(first);
});

test("several sockets are refused, and one of another process is left alone", () => {
  const serveWith = (variables: string) =>
    serve({ WFH_PORT: "http" }, ["/bin/sh", "-c", `${variables} exec "$0" "$@"`]);
  const { status, stderr } = serveWith("LISTEN_FDS=2 LISTEN_PID=$$");
  assert.equal(status, 2);
  assert.match(stderr, /^The server was given 2 sockets .* one ListenStream=/);
  assert.match(serveWith("LISTEN_FDS=2 LISTEN_PID=1").stderr, /WFH_PORT="http"/);
});

test("the socket of a path is refused", (t) => {
  const databaseUrl = temporaryDatabase();
  const local = openSharedSocket(`${databaseUrl.slice("sqlite:".length)}.sock`);
  t.after(local.close);
  const { status, stderr } = serve({ WFH_DATABASE_URL: databaseUrl }, withSocket, local.fd);
  assert.equal(status, 69);
  assert.match(stderr, /^The server needs a TCP socket: set ListenStream= to a port/);
});

test("restarting two servers on one socket by turns loses no page request", {
  skip: postgres.missing ?? false,
  timeout: 120_000,
}, async () => {
  const database = await postgres.createDatabase();
  const settings = { WFH_DATABASE_URL: database.url, ...drained };
  const start = () => startServerProcess(settings, { socket: socket.fd });
  const servers = [await start(), await start()];
  const loads = [true, false].map((keepAlive) => startPageLoad(socket.port, { keepAlive }));
  for (let restart = 0; restart < 4; restart += 1) {
    await Promise.all(loads.map((load) => load.calls(200)));
    const server = servers.shift() ?? assert.fail();
    server.signal("SIGTERM");
    assert.equal(await server.ended(), 0);
    servers.push(await start());
  }
  const counts = await Promise.all(loads.map((load) => load.stop()));
  for (const count of counts) assert.deepEqual(Object.keys(count), ["200"], JSON.stringify(count));
  await Promise.all(servers.map(endServerProcess));
  const [row] = await database.query("SELECT count(*) AS rows FROM page_requests");
  assert.equal(
    Number(row?.["rows"]),
    counts.reduce((sum, count) => sum + (count["200"] ?? 0), 0),
  );
  await database.drop();
});

/** Runs a server that is to end by itself. */
function serve(
  settings: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
  socketFd?: number,
) {
  const commandLine = [...wrapper, process.execPath, program, "serve"];
  const [command = "", ...words] = commandLine;
  return spawnSync(command, words, {
    env: { ...plainEnvironment, ...settings },
    stdio: ["ignore", "pipe", "pipe", socketFd ?? "ignore"],
    encoding: "utf8",
    timeout: 20_000,
  });
}
