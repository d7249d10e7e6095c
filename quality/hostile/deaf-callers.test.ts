import assert from "node:assert/strict";
import { once } from "node:events";
import { get as ask } from "node:http";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { get } from "@wfh/server/test/server/connection.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { spawnServer } from "../harness/measured-server.ts";
import type { ServerFacts } from "../harness/measured-server-main.ts";
import { isLong } from "./effort.ts";

/** Callers that ask at once and never read. */
const callers = isLong ? 100 : 10;
/** Bytes of requests that each of them sends: ten times what the server reads at once. */
const bytesSent = 655_360;
/** Most bytes for a caller: bytes that were read, a response, and 28 requests of some KiB. */
const heldMax = 2 ** 19;
/** Longer than all buffers between a caller and the server together, in bytes. */
const bytesBeyondBuffers = 2 ** 24;

/** A short response and a long one, made by node:http only as fast as it is received. */
const targets = isLong ? ["/", "/api/LocationUIHelper.asmx?wsdl"] : ["/"];

const server = await spawnServer({});
after(() => server.close());

/** Connects, and reads nothing from then on. */
async function connectDeaf(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  socket.pause();
  socket.on("error", () => {});
  return socket;
}

/** Waits for a response after the server has read the others' bytes, which may take a while. */
async function askAfterThem(): Promise<void> {
  const [response] = await once(ask(`${server.url}/healthz`, { agent: false }), "response");
  await once(response.resume(), "close");
}

/** Requests for a target, of as many bytes at least. */
function requestsOf(target: string, bytes: number): string {
  return get(target).repeat(Math.ceil(bytes / get(target).length));
}

/** Makes callers send something, then endless requests; waits until the server has read. */
async function askWithoutEnd(sockets: readonly Socket[], first: string, target: string) {
  for (const socket of sockets) socket.write(first);
  await askAfterThem();
  const requests = requestsOf(target, bytesSent);
  for (const socket of sockets) socket.write(requests);
  await askAfterThem();
}

/** Most times that the server is asked whether it has ended connections. */
const triesMax = 50;

/** Facts of the server once it has no more connections open than before. */
async function factsAtTheirEnd({ descriptors }: ServerFacts): Promise<ServerFacts> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const facts = await server.measure();
    if (facts.descriptors <= descriptors) return facts;
  }
  throw new Error("The server keeps callers that read nothing");
}

function checkHeld(before: ServerFacts, { heapBytes, alarms }: ServerFacts): void {
  const held = (heapBytes - before.heapBytes) / callers;
  assert.ok(held < heldMax, `${Math.round(held)} bytes for each caller`);
  assert.deepEqual(alarms, []);
}

for (const target of targets) {
  test(`callers that pipeline requests for ${target} at once and never read are held back`, async (t) => {
    const before = await server.measure();
    const sockets = await Promise.all(
      Array.from({ length: callers }, () => connectDeaf(server.url)),
    );
    t.after(() => sockets.map((socket) => socket.destroy()));
    await askWithoutEnd(sockets, "", target);
    const facts = await server.measure();
    assert.ok(facts.descriptors >= before.descriptors + callers, "They are cut");
    checkHeld(before, facts);
  });

  test(`callers that pipeline requests for ${target} on connections that did not begin so and never read are cut`, async (t) => {
    const before = await server.measure();
    const sockets = await Promise.all(
      Array.from({ length: callers }, () => connectDeaf(server.url)),
    );
    t.after(() => sockets.map((socket) => socket.destroy()));
    // An empty line has node:http read a connection from its first byte (decision 0039).
    await askWithoutEnd(sockets, `\r\n${get("/healthz")}`, target);
    checkHeld(before, await factsAtTheirEnd(before));
  });
}

test("a caller that pipelines and never reads is ended", { timeout: 10_000 }, async () => {
  const impatient = await startTestServer({ WFH_IDLE_TIMEOUT_MS: "200" });
  const socket = await connectDeaf(impatient.url);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  // What is not sent yet has the caller hear of the end, though it reads nothing.
  socket.write(requestsOf("/", bytesBeyondBuffers));
  await closed;
});
