import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { testApp } from "../../../test/server/test-app.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { ListenerContext } from "../http/node-adapter.ts";
import { BodyBudget } from "../http/request-body.ts";
import { ConnectionTracker } from "../metrics/state-metrics.ts";
import { readConfig } from "../settings/config.ts";
import { attachFastPath } from "./fast-connection.ts";

const request = "GET /page HTTP/1.1\r\nHost: x\r\n\r\n";
const { config } = readConfig(undefined, {
  WFH_HEAD_TIMEOUT_MS: "1000",
  WFH_KEEP_ALIVE_TIMEOUT_MS: "3000",
  WFH_IDLE_TIMEOUT_MS: "9000",
});

/** An context with one page. */
function contextOf(page: () => HttpResponse): {
  context: ListenerContext;
  bugs: unknown[];
  tracker: ConnectionTracker;
} {
  const bugs: unknown[] = [];
  const tracker = new ConnectionTracker();
  const context: ListenerContext = {
    app: testApp({ pages: new Map([["/page", page]]) }),
    config,
    bodies: new BodyBudget(1_000_000),
    isAdmin: false,
    tracker,
    onBadRequest: () => {},
    onBug: (reason) => bugs.push(reason),
  };
  return { context, bugs, tracker };
}

/** A connection to a server, of which the test decides when bytes are taken. */
class HeldConnection extends Duplex {
  /** Time limits that were set, in milliseconds. */
  readonly limits: number[] = [];
  readonly remoteAddress = "127.0.0.1";
  written = "";
  private done: (() => void) | undefined;

  constructor(server: Server) {
    super({ allowHalfOpen: true });
    server.emit("connection", this);
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written += bytes.toString("latin1");
    this.done = done;
    this.emit("held");
  }

  setTimeout(ms: number): void {
    this.limits.push(ms);
  }

  destroySoon(): void {
    this.end();
  }

  takeBytes(): void {
    this.done?.();
  }
}

/** A server whose connections go, when they are handed over, to a test instead of to node:http. */
function handingServer() {
  const { context } = contextOf(page);
  const server = createServer();
  server.removeAllListeners("connection");
  const handed: string[] = [];
  server.on("connection", (socket) => {
    socket.on("data", (bytes: Buffer) => handed.push(bytes.toString("latin1")));
  });
  const open = attachFastPath(server, context);
  return { connection: new HeldConnection(server), open, handed, read: context.tracker.read };
}

function directServer(page: () => HttpResponse) {
  const { context, bugs, tracker } = contextOf(page);
  const server = createServer();
  attachFastPath(server, context);
  return { server, bugs, tracker };
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("a response that cannot be written is a bug that ends its connection, not the process", async (t) => {
  const headers = ["X-A", "b\r\nX-C: d"];
  const { server, bugs } = directServer(() => ({ status: 200, headers, body: "" }));
  const socket = connect(await listening(t, server), "127.0.0.1").setEncoding("latin1");
  let received = "";
  socket.on("data", (text: string) => {
    received += text;
  });
  socket.write(request);
  await once(socket, "close");
  assert.equal(received, "");
  assert.match(String(bugs), /Not a header/);
});

const page = () => ({ status: 200, headers: [], body: "a page" });

test("a caller that takes its response slowly has the time of an exchange", async () => {
  const connection = new HeldConnection(directServer(page).server);
  connection.push(request);
  await once(connection, "held");
  connection.emit("timeout");
  assert.equal(connection.destroyed, false);
  assert.equal(connection.limits.at(-1), config.idleTimeoutMs);
  connection.emit("timeout");
  assert.equal(connection.destroyed, true);
});

test("a connection is kept a second longer than its responses say", async () => {
  const connection = new HeldConnection(directServer(page).server);
  connection.push(request);
  await once(connection, "held");
  connection.takeBytes();
  // What is set behind the writing of the response.
  await Promise.resolve();
  assert.deepEqual(connection.limits, [1_000, 4_000]);
  connection.emit("timeout");
  assert.equal(connection.destroyed, true);
});

const head = "POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";

/** Lets a connection take what was pushed into it, as one piece. */
async function pushPiece(connection: HeldConnection, text: string): Promise<void> {
  connection.push(text);
  await setImmediate();
}

test("a request whose body follows its head, in one piece or in two, is read directly", async () => {
  for (const pieces of [
    [head, "abcd"],
    [`${head}ab`, "cd"],
    [head, "ab", "cd"],
  ]) {
    const { connection, handed, read } = handingServer();
    await setImmediate();
    for (const piece of pieces) await pushPiece(connection, piece);
    assert.deepEqual([read.direct, handed], [1, []]);
    // The time between requests is the usual one again.
    assert.deepEqual(connection.limits, [1_000, 200, 4_000]);
  }
});

test("a request in more pieces, and what follows one at once, goes to node:http with every byte", async () => {
  for (const pieces of [
    [head, "a", "b", "cd"],
    [head, "abcdGET / HTTP/1.1\r\n"],
  ]) {
    const { connection, handed, read } = handingServer();
    await setImmediate();
    for (const piece of pieces) await pushPiece(connection, piece);
    assert.deepEqual([read.direct, handed.join("")], [0, pieces.join("")]);
  }
});

test("a body that does not follow at once goes to node:http with its head, when it is late and at the end of the server", async () => {
  for (const end of ["timeout", "shutdown"] as const) {
    const { connection, open, handed } = handingServer();
    await setImmediate();
    await pushPiece(connection, `${head}ab`);
    if (end === "timeout") connection.emit("timeout");
    else for (const each of open) each.endIfIdle();
    await pushPiece(connection, "cd");
    assert.deepEqual([connection.destroyed, handed.join("")], [false, `${head}abcd`]);
  }
});

test("a body whose caller ends its side is refused, once, however slowly the response is taken", async () => {
  const { connection, handed } = handingServer();
  await setImmediate();
  await pushPiece(connection, head);
  connection.push(null);
  await once(connection, "held");
  connection.emit("timeout");
  await setImmediate();
  assert.deepEqual([connection.destroyed, handed.join("")], [false, ""]);
  assert.match(connection.written, /^HTTP\/1\.1 400 /);
});

test("a request that breaks off is counted as read, and a bug while it is logged ends nothing", async () => {
  for (const [corsPolicy, bugsMax] of [
    [() => ({ kind: "own", isSure: true, headers: [] }) as const, 0],
    [() => assert.fail("a bug"), 1],
  ] as const) {
    const { context, bugs, tracker } = contextOf(page);
    const server = createServer();
    attachFastPath(server, { ...context, app: { ...context.app, corsPolicy } });
    const connection = new HeldConnection(server);
    await setImmediate();
    await pushPiece(connection, head.replace("Host: x", "Host: x\r\nOrigin: http://y"));
    connection.destroy();
    await once(connection, "close");
    assert.deepEqual([tracker.read.direct, bugs.length], [1, bugsMax]);
  }
});
