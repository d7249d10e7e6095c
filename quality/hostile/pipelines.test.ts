import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { get } from "@wfh/server/test/server/connection.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";

const server = await startTestServer();
const lookUp = Buffer.from(
  get("/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001"),
);

/** Most pipelined requests served during another caller's look-up, of a few event-loop turns. */
const servedBetweenMax = 4;

interface Attack {
  readonly name: string;
  readonly connections: number;
  /** Requests of each connection. */
  readonly requests: number;
  readonly request: string;
}

/** The costliest pages, in requests of which one read of node:http has several and a part. */
const attacks: readonly Attack[] = [
  { name: "one connection", connections: 1, requests: 600, request: get("/api/v1/countries") },
  { name: "many connections", connections: 30, requests: 20, request: get("/api/v1/countries") },
  {
    name: "long requests",
    connections: 1,
    requests: 200,
    request: get("/api/LocationUIHelper.asmx", `A: ${"a".repeat(600)}\r\n`),
  },
];

/** Sends pipelined requests at once; resolves to the bytes that came back. */
async function pipeline({ requests, request }: Attack): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = 0;
  socket.on("data", ({ length }: Buffer) => {
    received += length;
  });
  socket.write(request.repeat(requests - 1) + get("/healthz", "Connection: close\r\n"));
  await once(socket, "close");
  return received;
}

for (const attack of attacks) {
  test(`other callers are served between the requests of pipelines: ${attack.name}`, async () => {
    const other = new KeepAliveClient(server.url);
    const pipelines = Array.from({ length: attack.connections }, () => pipeline(attack));
    let isOver = false;
    const all = Promise.all(pipelines).finally(() => {
      isOver = true;
    });
    let served = 0;
    for (; !isOver; served += 1) {
      const { responses } = await other.ask(lookUp);
      assert.match(responses.join(""), /<City>New York<\/City>/);
    }
    other.close();
    assert.ok((await all).every((bytes) => bytes > attack.requests * 1_000));
    const least = (attack.connections * attack.requests) / servedBetweenMax;
    assert.ok(served >= least, `${served} look-ups, at least ${least} expected`);
  });
}
