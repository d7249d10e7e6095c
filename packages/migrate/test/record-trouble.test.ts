import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { exchange } from "@wfh/server/test/exchange.ts";
import { get, openConnection } from "@wfh/server/test/server/connection.ts";
import { type Handle, openListener } from "../src/listener.ts";
import { openRawServer, openRecorder } from "./recorder-fixture.ts";

const call =
  "POST /api/LocationUIHelper.asmx/PostalCodeToCityState HTTP/1.1\r\nHost: old\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\nConnection: close\r\n\r\npostalCode=10001";

/** Sends one call through a recorder to an old server in trouble. */
async function passTo(respond: (socket: Socket) => void, silenceMs = 10_000) {
  const server = await openRawServer(respond);
  const recorder = await openRecorder(server.url, { silenceMs });
  try {
    const got = await exchange(recorder.url, call);
    const { failed } = recorder.summarize();
    return { got, failed, exchanges: recorder.exchanges, origin: server.url.origin };
  } finally {
    server.close();
    await recorder.close();
  }
}

describe("without a response the caller gets a text that names the side and the cause", () => {
  const troubles: readonly [string, number, RegExp, (socket: Socket) => void, number?][] = [
    ["a server that hangs", 504, /no response within 0\.2 s/, () => {}, 200],
    ["a reset", 502, /closed the connection/, (socket) => socket.resetAndDestroy()],
    ["an end without a byte", 502, /closed the connection/, (socket) => socket.end()],
    [
      "half a head",
      502,
      /closed the connection/,
      (socket) => socket.end("HTTP/1.1 200 OK\r\nA: b"),
    ],
    [
      "another protocol",
      502,
      /it sent no response/,
      (socket) =>
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        ),
    ],
    ["something else than HTTP", 502, /not HTTP/, (socket) => socket.end("SSH-2.0-OpenSSH_9\r\n")],
    [
      "a head that hangs",
      504,
      /no response within/,
      (socket) => socket.write("HTTP/1.1 200 OK\r\n"),
      200,
    ],
  ];
  for (const [name, status, cause, respond, silenceMs] of troubles) {
    test(name, async () => {
      const { got, exchanges, failed, origin } = await passTo(respond, silenceMs);
      assert.match(got, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(got, /\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
      assert.ok(got.includes(`The old server (${origin}): `), got);
      assert.match(got, cause);
      assert.equal(exchanges[0]?.response, null);
      assert.match(exchanges[0]?.error ?? "", cause);
      assert.equal(failed, 1);
    });
  }

  test("nothing that listens", async () => {
    const server = await openRawServer(() => {});
    server.close();
    const recorder = await openRecorder(server.url);
    const got = await exchange(recorder.url, call);
    await recorder.close();
    assert.match(got, /^HTTP\/1\.1 502 .*nothing responds there/s);
  });
});

describe("a response that breaks off, breaks off for the caller after all that came", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n";
  const troubles: readonly [string, string, (socket: Socket) => void, number?][] = [
    ["fewer bytes than announced", `${head}short`, (socket) => socket.end(`${head}short`)],
    ["silence within the body", `${head}short`, (socket) => socket.write(`${head}short`), 200],
    [
      "chunks without an end",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n",
      (socket) =>
        socket.end(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n",
        ),
    ],
  ];
  for (const [name, expected, respond, silenceMs] of troubles) {
    test(name, async () => {
      const { got, exchanges, failed } = await passTo(respond, silenceMs);
      assert.equal(got, expected);
      assert.equal(exchanges[0]?.response?.status, 200);
      assert.match(exchanges[0]?.error ?? "", /^The old server/);
      assert.equal(failed, 1);
    });
  }

  test("more bytes than announced are not part of the response", async () => {
    const response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n";
    const { got, failed } = await passTo((socket) => socket.end(`${response}hi, and more`));
    assert.equal(got, `${response}hi`);
    assert.equal(failed, 0);
  });
});

test("a caller that goes away ends the request to the old server", async () => {
  const ended = Promise.withResolvers<void>();
  const server = await openRawServer((socket) => {
    socket.on("close", () => ended.resolve());
    arrived.resolve();
  });
  const arrived = Promise.withResolvers<void>();
  const recorder = await openRecorder(server.url);
  const request = httpRequest(`${recorder.url}/slow.aspx`).on("error", () => {});
  request.end();
  await arrived.promise;
  request.destroy();
  await ended.promise;
  await recorder.close();
  server.close();
  assert.equal(recorder.summarize().failed, 0);
});

test("closing waits for what is left to do for a caller that went away", async () => {
  const arrived = Promise.withResolvers<void>();
  let isDone = false;
  const listener = await openListener(
    { host: "127.0.0.1", port: 0 },
    async (_, response, signal) => {
      arrived.resolve();
      await once(signal, "abort");
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      isDone = response.closed;
    },
  );
  const request = httpRequest(listener.url).on("error", () => {});
  request.end();
  await arrived.promise;
  request.destroy();
  await listener.close();
  assert.ok(isDone);
});

test("a drain keeps connections at first, then ends each after its next response", async (t) => {
  const respond: Handle = async (_, response) => void response.end("hi");
  const listener = await openListener({ host: "127.0.0.1", port: 0 }, respond);
  const connections = [await openConnection(listener.url), await openConnection(listener.url)];
  t.after(() => {
    for (const connection of connections) connection.drop();
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const closed = listener.close(1_000);
  for (const connection of connections) {
    await connection.send(get("/"));
    assert.doesNotMatch(await connection.until(/200 OK.*hi$/s), /Connection: close/);
  }
  t.mock.timers.tick(1_000);
  const isRefused = async () => {
    const other = await openConnection(listener.url).catch(() => undefined);
    other?.drop();
    return other === undefined;
  };
  while (!(await isRefused())) await setImmediate();
  for (const connection of connections) {
    await connection.send(get("/"));
    assert.match(await connection.closed(), /200 OK.*200 OK.*Connection: close.*hi$/s);
  }
  await closed;
});

test("a large body of another path is passed on as it comes, and not recorded", async () => {
  const chunk = Buffer.alloc(1_048_576, 7);
  const chunks = 64;
  const server = await openRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunk.length * chunks}\r\n\r\n`);
    for (let i = 0; i < chunks; i++) socket.write(chunk);
  });
  const recorder = await openRecorder(server.url);
  const request = httpRequest(`${recorder.url}/download.zip`).end();
  const [response] = await once(request, "response");
  let received = 0;
  for await (const piece of response as AsyncIterable<Buffer>) received += piece.length;
  await recorder.close();
  server.close();
  assert.equal(received, chunk.length * chunks);
  assert.deepEqual(recorder.exchanges, []);
  assert.equal(recorder.summarize().forwarded, 1);
});

test("a call that is too long to be recorded is passed on whole", async () => {
  const lengths: number[] = [];
  const server = await openRawServer((socket, request) => {
    lengths.push(request.length - request.indexOf("\r\n\r\n") - 4);
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  const recorder = await openRecorder(server.url);
  const body = Buffer.alloc(3_000_000, 120);
  const head = call.replace("Content-Length: 16", `Content-Length: ${body.length}`);
  const got = await exchange(recorder.url, head.replace("postalCode=10001", ""), body);
  await recorder.close();
  server.close();
  assert.match(got, /^HTTP\/1\.1 200 OK/);
  assert.deepEqual(lengths, [body.length]);
  assert.deepEqual(recorder.exchanges, []);
});

test("a log-in that is bound to a connection is noticed once", async () => {
  const response =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const server = await openRawServer((socket) => socket.end(response));
  const recorder = await openRecorder(server.url);
  assert.equal(await exchange(recorder.url, call), response);
  assert.equal(await exchange(recorder.url, call), response);
  await recorder.close();
  server.close();
  assert.deepEqual(recorder.warnings, ["connection log-in"]);
});

test("connections to the old server stay open for the next request", async () => {
  const sockets = new Set<Socket>();
  const server = await openRawServer((socket) => {
    sockets.add(socket);
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  const recorder = await openRecorder(server.url);
  for (let i = 0; i < 5; i++) await exchange(recorder.url, call);
  await recorder.close();
  server.close();
  assert.equal(sockets.size, 1);
});

test("callers that go away within a response harm no other", async (t) => {
  const chunk = Buffer.alloc(65_536, 7);
  const server = await openRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunk.length * 100}\r\n\r\n`);
    for (let i = 0; i < 100; i++) socket.write(chunk);
  });
  const recorder = await openRecorder(server.url);
  t.after(recorder.close);
  t.after(server.close);
  const goAway = async () => {
    const request = httpRequest(`${recorder.url}/api/LocationUIHelper.asmx?WSDL`).end();
    request.on("error", () => {});
    const [response] = await once(request, "response");
    response.on("error", () => {});
    await once(response, "data");
    request.destroy();
  };
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 5 }, goAway));
  const whole = await fetch(`${recorder.url}/a.zip`);
  assert.equal((await whole.arrayBuffer()).byteLength, chunk.length * 100);
  assert.equal(recorder.summarize().failed, 0);
  assert.equal(recorder.exchanges.at(-1)?.error, "The caller closed the connection.");
});
