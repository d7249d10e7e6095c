import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const server = await startTestServer();

/** A page request, whose response waits for the disk. */
const logged = post("Content-Length: 2", "{}");
/** The same in a form that is left to node:http. */
const chunked = post("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n");
const lookUp = get("/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001");

function post(length: string, body: string): string {
  return `POST /api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`;
}

/** Requests as callers send them who say in the last piece that no more will come. */
const sequences: readonly (readonly [what: string, count: number, ...pieces: string[]])[] = [
  ["one look-up", 1, lookUp],
  ["one look-up, and the end on its own", 1, lookUp, ""],
  ["two look-ups in one piece", 2, lookUp + lookUp],
  ["one page request", 1, logged],
  ["one page request in two pieces", 1, logged.slice(0, -1), "}"],
  ["two page requests in one piece", 2, logged + logged],
  ["two page requests in one piece, and the end on its own", 2, logged + logged, ""],
  ["two page requests in two pieces", 2, logged, logged],
  ["two page requests in two pieces, and the end on its own", 2, logged, logged, ""],
  ["a page request and half of another", 2, logged + logged.slice(0, 50), logged.slice(50)],
  ["chunked page requests", 3, chunked + chunked, chunked],
  ["ten page requests of both kinds", 10, (chunked + logged).repeat(5), ""],
];
for (const [what, count, ...pieces] of sequences) {
  test(`a caller that sends ${what} and closes its side gets every response`, async () => {
    const connection = await openConnection(server.url);
    const last = pieces.pop() ?? "";
    for (const piece of pieces) await connection.send(piece);
    await connection.end(last);
    assert.deepEqual(statusesIn(await connection.closed()), Array(count).fill(200));
  });
}

const upgrade = get("/healthz", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
const upgrading: readonly (readonly [what: string, count: number, ...pieces: string[]])[] = [
  ["alone", 1, upgrade],
  ["with a request behind it in the same piece", 1, upgrade + logged],
  [
    "with a request behind it in another piece",
    1,
    logged.replace("Host", "Connection: Upgrade\r\nUpgrade: h2c\r\nHost"),
    logged,
  ],
  ["between others", 2, logged + upgrade + logged],
];
for (const [what, count, ...pieces] of upgrading) {
  test(`a request with Upgrade ${what} gets the last response of its connection, which says so`, async () => {
    const connection = await openConnection(server.url);
    for (const piece of pieces) await connection.send(piece);
    const text = await connection.closed();
    assert.deepEqual(statusesIn(text), Array(count).fill(200));
    const heads = text.split("HTTP/1.1 ").slice(1);
    assert.deepEqual(
      heads.map((head) => /^Connection: close\r$/m.test(head)),
      heads.map((_head, i) => i === heads.length - 1),
    );
  });
}
