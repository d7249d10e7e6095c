import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { exchange } from "../exchange.ts";
import { get } from "../server/connection.ts";
import { isLong } from "./effort.ts";
import { spawnServer } from "./spawned-server.ts";

/** Callers that ask at once and never read. */
const callers = isLong ? 100 : 25;
/** Bytes of requests that each of them sends: ten times what the server reads at once. */
const bytesSent = 655_360;
/** What a caller's requests and answers may take, in bytes: the bytes that were read, an answer, and 28 requests of some KiB. */
const heldMax = 2 ** 19;

const server = await spawnServer({ WFH_IDLE_TIMEOUT_MS: "500" });
after(() => server.close());

/** Connects, and reads nothing from then on. */
async function connectDeaf(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  socket.pause();
  socket.on("error", () => {});
  return socket;
}

/** An answer that comes after the server has read what others have sent. */
function askAfterThem(): Promise<string> {
  return exchange(server.url, get("/healthz", "Connection: close\r\n"));
}

/** Most times that the server is asked whether it has ended connections. */
const triesMax = 10_000;

/** Whether the connection that asks is the only one; false where it was closed under the question. */
async function isAlone(): Promise<boolean> {
  const text = await fetch(`${server.url}/metrics`).then(
    (answer) => answer.text(),
    () => "",
  );
  const counts = [...text.matchAll(/^wfh_connections\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0) === 1;
}

async function untilAlone(): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) if (await isAlone()) return;
  throw new Error("The server keeps callers that read nothing");
}

// An empty line has node:http read a connection from its first byte (decision 0039).
for (const [name, first] of [
  ["at once", ""],
  ["on connections that did not begin so", `\r\n${get("/healthz")}`],
] as const) {
  for (const target of ["/", "/api/LocationUIHelper.asmx?wsdl"]) {
    test(`callers that pipeline requests for ${target} ${name} and never read are held back, then ended`, async () => {
      const before = await server.measure();
      const sockets = await Promise.all(Array.from({ length: callers }, connectDeaf));
      for (const socket of sockets) socket.write(first);
      await askAfterThem();
      const request = get(target);
      const requests = request.repeat(Math.ceil(bytesSent / request.length));
      for (const socket of sockets) socket.write(requests);
      await askAfterThem();
      // Those that did not begin so are cut, and leave what is collected later.
      if (first !== "") await untilAlone();
      const { heapBytes, alarms } = await server.measure();
      const held = (heapBytes - before.heapBytes) / callers;
      assert.ok(held < heldMax, `${Math.round(held)} bytes for each caller`);
      await untilAlone();
      for (const socket of sockets) socket.destroy();
      assert.deepEqual(alarms, []);
    });
  }
}
