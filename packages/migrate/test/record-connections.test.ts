import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, describe, test } from "node:test";
import { exchange } from "@wfh/server/test/exchange.ts";
import { openListener } from "../src/listener.ts";
import { openRawServer, openRecorder } from "./recorder-fixture.ts";
import { until } from "./stand-in.ts";

/** A recorder whose old server is a socket, and what that got. */
async function open(respond: (socket: Socket, request: string) => void, silenceMs = 10_000) {
  const requests: string[] = [];
  const old = await openRawServer((socket, request) => {
    requests.push(request.toString("latin1"));
    respond(socket, request.toString("latin1"));
  });
  const recorder = await openRecorder(old.url, { silenceMs });
  after(async () => {
    old.close();
    await recorder.close();
  });
  return { recorder, requests };
}

const get = (path: string, headers = "", version = "1.1") =>
  `GET ${path} HTTP/${version}\r\nHost: old\r\n${headers}\r\n`;
const close = "Connection: close\r\n";
const fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";

describe("headers of one connection do not reach the other", () => {
  test("of a response, whose caller keeps its own connection", async () => {
    const { recorder } = await open((socket) =>
      socket.end(
        `${fine}Connection: close, X-Hop\r\nKeep-Alive: timeout=5\r\nProxy-Connection: close\r\nX-Hop: 1\r\nX-End: 2\r\n\r\nhi`,
      ),
    );
    const got = await exchange(recorder.url, get("/1") + get("/2", close));
    assert.equal(got.match(/HTTP\/1\.1 200 OK/g)?.length, 2);
    assert.equal(got.match(/^X-End: 2/gm)?.length, 2);
    assert.doesNotMatch(got, /X-Hop|timeout=5|Proxy-Connection/);
    assert.match(got, /^Connection: keep-alive.*^Connection: close\r\n\r\nhi$/ms);
  });

  test("of a request, but for those that say where it ends", async () => {
    const { recorder, requests } = await open((socket) => socket.end(`${fine}\r\nhi`));
    await exchange(
      recorder.url,
      `POST / HTTP/1.1\r\nHost: old\r\nContent-Length: 1\r\nConnection: close, X-Hop, Content-Length, Host\r\nTE: trailers\r\nX-Hop: 1\r\nX-End: 2\r\n\r\nx`,
    );
    assert.match(requests[0] ?? "", /^Host: old\r\nContent-Length: 1\r\nX-End: 2\r\n/m);
    assert.doesNotMatch(requests[0] ?? "", /X-Hop|TE:/);
  });

  test("a caller of HTTP/1.0 gets no chunks", async () => {
    const chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    const { recorder } = await open((socket) => socket.end(`HTTP/1.1 200 OK\r\n${chunks}`));
    for (const headers of ["", "Connection: keep-alive\r\n"]) {
      const got = await exchange(recorder.url, get("/", headers, "1.0"));
      assert.match(got, /^HTTP\/1\.1 200 OK\r\nConnection: close\r\n\r\nhi$/);
    }
  });

  test("chunks replace a length", async () => {
    const { recorder } = await open((socket) =>
      socket.end(
        "HTTP/1.1 200 OK\r\nContent-Length: 90\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      ),
    );
    const got = await exchange(recorder.url, get("/", close));
    assert.doesNotMatch(got, /Content-Length/);
    assert.match(got, /\r\n\r\n2\r\nhi\r\n0\r\n\r\n$/);
  });

  test("a body that ends with the connection ends that of the caller", async () => {
    const { recorder } = await open((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nto the end"));
    assert.match(await exchange(recorder.url, get("/")), /Connection: close\r\n\r\nto the end$/);
  });
});

test("HEAD, 204 and 304 have no body and keep the connection", async () => {
  const { recorder } = await open((socket, request) => {
    const [, status = "200"] = /^\w+ \/(\d+)/.exec(request) ?? [];
    socket.write(
      `HTTP/1.1 ${status} Fine\r\n${status === "200" ? "Content-Length: 9\r\n" : ""}\r\n`,
    );
  });
  const head = get("/200").replace("GET", "HEAD");
  const got = await exchange(
    recorder.url,
    head + get("/204") + get("/304") + head.replace("\r\n\r\n", `\r\n${close}\r\n`),
  );
  assert.deepEqual(
    got.match(/^HTTP.*/gm)?.map((line) => line.slice(9, 12)),
    ["200", "204", "304", "200"],
  );
});

test("an upgrade becomes a plain request", async () => {
  const { recorder, requests } = await open((socket) => socket.end(`${fine}\r\nhi`));
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
  const got = await exchange(recorder.url, get("/", upgrade));
  assert.match(got, /^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n\r\nhi$/s);
  assert.doesNotMatch(requests[0] ?? "", /^Upgrade:/m);
});

describe("a response that cannot be passed on is an error of its server", () => {
  const responses: Readonly<Record<string, string>> = {
    "a control character in a header": `${fine}X-A: a\x01b\r\n\r\nhi`,
    "a control character in the status text": "HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n",
    "a status below 100": "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n",
    "an upgrade that was not asked for":
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
  };
  for (const [what, response] of Object.entries(responses)) {
    test(what, async () => {
      const { recorder } = await open((socket) => socket.write(response));
      const got = await exchange(recorder.url, get("/", close));
      assert.match(got, /^HTTP\/1\.1 502 .*The old server \(/s);
      assert.equal(recorder.summarize().failed, 1);
    });
  }
});

test("a trailer that is announced and never comes does not harm its caller", async () => {
  const { recorder, requests } = await open((socket) =>
    socket.end(`${fine}Trailer: X-T\r\n\r\nhi`),
  );
  const got = await exchange(recorder.url, get("/", `Trailer: X-T\r\n${close}`));
  assert.match(got, /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nhi$/s);
  assert.doesNotMatch(requests.join(""), /Trailer/);
});

describe("an upload that is not taken is read to its end, so that its caller gets the response", () => {
  const early = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 413 Long\r\nContent-Length: 3\r\n\r\nbig"));
  });
  after(() => early.close());
  const body = Buffer.alloc(3_000_000);
  const headers = `Host: old\r\nContent-Length: ${body.length}\r\n${close}`;

  for (const path of ["/upload.aspx", "/api/LocationUIHelper.asmx"]) {
    test(`to ${path}`, async () => {
      if (!early.listening) await once(early.listen(0, "127.0.0.1"), "listening");
      const { port } = early.address() as AddressInfo;
      const recorder = await openRecorder(new URL(`http://127.0.0.1:${port}`));
      after(recorder.close);
      const head = `POST ${path} HTTP/1.1\r\n${headers}\r\n`;
      assert.match(await exchange(recorder.url, head, body), /^HTTP\/1\.1 413 .*big$/s);
    });
  }
});

test("a Windows log-in of one caller does not hold for the next", async () => {
  const users = new WeakMap<Socket, string>();
  const { recorder } = await open((socket, request) => {
    const [, user] = /^Authorization: (?:NTLM|Negotiate) (\w+)/m.exec(request) ?? [];
    if (user !== undefined) users.set(socket, user);
    socket.write(
      `HTTP/1.1 200 OK\r\nX-User: ${users.get(socket) ?? "none"}\r\nContent-Length: 0\r\n\r\n`,
    );
  });
  const userOf = async (headers: string) =>
    /X-User: (\w+)/.exec(await exchange(recorder.url, get("/", headers + close)))?.[1];
  assert.equal(await userOf(""), "none");
  for (const scheme of ["NTLM", "Negotiate"]) {
    assert.equal(await userOf(`Authorization: ${scheme} ada\r\n`), "ada");
    assert.equal(await userOf(""), "none");
  }
});

test("requests that are pipelined are sent one after the other", async () => {
  const waiting: Socket[] = [];
  const { recorder, requests } = await open((socket) => waiting.push(socket));
  const got = exchange(recorder.url, get("/1") + get("/2", close));
  await until(() => waiting.length === 1, "the first request");
  waiting[0]?.write(`${fine}\r\n:1`);
  await until(() => waiting.length === 2, "the second request");
  assert.match(requests[0] ?? "", /^GET \/1 /);
  // It breaks off.
  waiting[1]?.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n:2");
  assert.match(await got, /:1HTTP\/1\.1 200 OK.*:2$/s);
});

test("a pipelined request whose caller has gone is not sent", async () => {
  const waiting: Socket[] = [];
  const { recorder, requests } = await open((socket) => waiting.push(socket));
  const caller = connect(Number(new URL(recorder.url).port), "127.0.0.1");
  caller.write(get("/1") + get("/2"));
  await until(() => waiting.length === 1, "the first request");
  caller.destroy();
  await once(waiting[0] as Socket, "close");
  const got = exchange(recorder.url, get("/3", close));
  await until(() => waiting.length === 2, "another request");
  waiting[1]?.end(`${fine}\r\nhi`);
  await got;
  assert.deepEqual(
    requests.map((request) => request.slice(4, 6)),
    ["/1", "/3"],
  );
});

test("a look-up that times out on a connection that was open is not sent again", async () => {
  const { recorder, requests } = await open((socket, request) => {
    if (request.startsWith("GET /first")) socket.write(`${fine}\r\nhi`);
  }, 200);
  await exchange(recorder.url, get("/first", close));
  assert.match(await exchange(recorder.url, get("/second", close)), /^HTTP\/1\.1 504 /);
  assert.equal(requests.length, 2);
});

test("a listener that closes waits for requests, and cuts them off after 10 seconds", async (t) => {
  for (const isCut of [true, false]) {
    const began = Promise.withResolvers<ServerResponse>();
    const address = { host: "127.0.0.1", port: 0 };
    const { url, close: end } = await openListener(address, async (_, response) =>
      began.resolve(response),
    );
    const caller = exchange(url, get("/"));
    const response = await began.promise;
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const ended = end();
    if (isCut) t.mock.timers.tick(10_000);
    else response.end("hi");
    await ended;
    t.mock.timers.reset();
    assert.equal((await caller).endsWith("hi"), !isCut);
  }
});
