import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { PageHandler } from "../../src/server/http/app.ts";
import { streamsMax } from "../../src/server/http/response-stream.ts";
import { exchange } from "../exchange.ts";
import { startServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";
import { readSamples } from "./metrics-reading.ts";

type Stream = (signal: AbortSignal) => AsyncIterable<string>;

const accept = "Accept: text/event-stream\r\n";
const ask = get("/events", accept);

/** A server with a stream at /events. */
async function start(t: TestContext, stream: Stream, settings: Record<string, string> = {}) {
  const page: PageHandler = () => ({
    status: 200,
    headers: ["Content-Type", "text/event-stream"],
    body: "",
    stream,
  });
  const server = await startServer(
    { WFH_METRICS: "on", ...settings },
    { changeApp: (app) => ({ ...app, pages: new Map([...app.pages, ["/events", page]]) }) },
  );
  t.after(() => server.close());
  return server;
}

/** A stream that says one thing and then waits for its end, of which the test is told. */
function silentStream() {
  const ended = Promise.withResolvers<void>();
  async function* stream(signal: AbortSignal) {
    yield "hello";
    if (!signal.aborted) await once(signal, "abort");
    ended.resolve();
  }
  return { stream, ended: ended.promise };
}

async function* twoPieces() {
  yield "one\n";
  yield "zwei ü\n";
}

for (const fastPath of ["on", "off"]) {
  const settings = { WFH_FAST_PATH: fastPath };

  test(`a stream is sent in chunks, and is the last response of its connection (fast path ${fastPath})`, async (t) => {
    const { url } = await start(t, twoPieces, settings);
    const text = await exchange(url, ask);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /Connection: close\r\n/);
    assert.doesNotMatch(text, /Content-Length/);
    // Node.js 26 writes both pieces as one chunk.
    assert.match(
      text,
      /\r\n\r\n(?:4\r\none\n\r\n8\r\nzwei .{2}\n|c\r\none\nzwei .{2}\n)\r\n0\r\n\r\n$/s,
    );
  });

  test(`a stream is not for callers that accept none (fast path ${fastPath})`, async (t) => {
    const { url } = await start(t, twoPieces, settings);
    const text = await exchange(url, get("/events", "Connection: close\r\nAccept: */*\r\n"));
    assert.match(text, /^HTTP\/1\.1 406 .*send the header Accept: text\/event-stream\.\n$/s);
  });
}

test("a caller of HTTP/1.0 gets a stream without chunks", async (t) => {
  const { url } = await start(t, twoPieces);
  const text = await exchange(url, `GET /events HTTP/1.0\r\n${accept}\r\n`);
  assert.match(text, /\r\n\r\none\nzwei .{2}\n$/s);
  assert.doesNotMatch(text, /Transfer-Encoding/);
});

test("HEAD gets the headers of a stream and does not begin it", async (t) => {
  let begun = 0;
  const { url } = await start(t, async function* () {
    begun += 1;
    yield "x";
  });
  const text = await exchange(url, ask.replace("GET", "HEAD"));
  assert.match(text, /^HTTP\/1\.1 200 .*text\/event-stream.*\r\n\r\n$/s);
  assert.equal(begun, 0);
});

test("the headers of a stream do not wait for its first piece", async (t) => {
  const { url } = await start(t, async function* (signal) {
    await once(signal, "abort");
    yield "";
  });
  const connection = await openConnection(url);
  await connection.send(ask);
  assert.match(await connection.until(/\r\n\r\n/), /200 OK/);
  connection.drop();
});

for (const [way, leave] of [
  ["goes away", (connection) => connection.drop()],
  ["ends its side", (connection) => connection.end("")],
] satisfies [string, (connection: Awaited<ReturnType<typeof openConnection>>) => unknown][]) {
  test(`a stream ends when its caller ${way}`, async (t) => {
    const { stream, ended } = silentStream();
    const { url } = await start(t, stream);
    const connection = await openConnection(url);
    await connection.send(ask);
    await connection.until(/hello/);
    await leave(connection);
    await ended;
  });
}

test("a caller that does not read holds back its own stream only, and is cut", async (t) => {
  const piece = "x".repeat(65_536);
  const pieces: number[] = [];
  const ended = Promise.withResolvers<void>();
  const { url } = await start(
    t,
    async function* () {
      const number = pieces.push(0) - 1;
      try {
        while (true) {
          pieces[number] = (pieces[number] ?? 0) + 1;
          yield piece;
        }
      } finally {
        if (number === 0) ended.resolve();
      }
    },
    { WFH_IDLE_TIMEOUT_MS: "500" },
  );
  const { hostname, port } = new URL(url);
  const deaf = connect({ host: hostname, port: Number(port) }).on("error", () => {});
  t.after(() => deaf.destroy());
  await once(deaf, "connect");
  deaf.pause();
  deaf.write(ask);
  const reader = await fetch(`${url}/events`, { headers: { Accept: "text/event-stream" } });
  let received = 0;
  // More than all buffers between the deaf one and the server hold.
  for await (const bytes of reader.body ?? []) {
    received += bytes.length;
    if (received > 2 ** 25) break;
  }
  await ended.promise;
  assert.ok((pieces[0] ?? 0) * piece.length < 2 ** 24, `${pieces[0]} pieces`);
});

test("requests behind a stream wait, and are closed with it", async (t) => {
  const { stream } = silentStream();
  const server = await start(t, stream);
  const connection = await openConnection(server.url);
  await connection.send(get("/healthz") + ask + get("/healthz").repeat(200));
  await connection.until(/hello/);
  assert.equal(await server.listening.close(), true);
  assert.deepEqual(statusesIn(await connection.closed()), [200, 200]);
});

test("a drain ends streams at once, and begins no others", async (t) => {
  const { stream, ended } = silentStream();
  const server = await start(t, stream, { WFH_DRAIN_MS: "300000" });
  const connection = await openConnection(server.url);
  await connection.send(ask);
  await connection.until(/hello/);
  const drained = server.listening.drain();
  await ended;
  assert.match(await connection.closed(), /\r\n0\r\n\r\n$/);
  const refused = await exchange(server.url, get("/events", `${accept}Connection: close\r\n`));
  assert.match(refused, /^HTTP\/1\.1 503 .*Retry-After.*The server is stopping\.\n$/s);
  await server.listening.close();
  await drained;
});

test("close() does not wait for a caller that does not read a stream", async (t) => {
  const server = await start(t, async function* () {
    while (true) yield "x".repeat(65_536);
  });
  const { hostname, port } = new URL(server.url);
  const deaf = connect({ host: hostname, port: Number(port) }).on("error", () => {});
  await once(deaf, "connect");
  deaf.pause();
  deaf.write(ask);
  let open = 0;
  while (open !== 1) open = (await readSamples(server.url)).get("wfh_streams") ?? 0;
  assert.equal(await server.listening.close(), true);
  deaf.destroy();
});

test("open streams have a most, and count", async (t) => {
  const { stream } = silentStream();
  const server = await start(t, stream);
  const opened = Array.from({ length: streamsMax }, async () => {
    const connection = await openConnection(server.url);
    await connection.send(ask);
    await connection.until(/hello/);
    return connection;
  });
  const connections = await Promise.all(opened);
  const refused = await exchange(server.url, get("/events", `${accept}Connection: close\r\n`));
  assert.match(
    refused,
    new RegExp(`^HTTP/1\\.1 503 .*most streams open, ${streamsMax}\\.\\n$`, "s"),
  );
  assert.equal((await readSamples(server.url)).get("wfh_streams"), streamsMax);
  for (const connection of connections) connection.drop();
  let open = streamsMax;
  while (open !== 0) open = (await readSamples(server.url)).get("wfh_streams") ?? -1;
});

test("a stream that fails is cut before its end, and logged", async (t) => {
  const server = await start(t, async function* () {
    yield "hello";
    throw new Error("no more of it");
  });
  const connection = await openConnection(server.url);
  await connection.send(ask);
  const text = await connection.closed().catch(() => "");
  assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
  assert.match(server.log.join(""), /no more of it/);
});
