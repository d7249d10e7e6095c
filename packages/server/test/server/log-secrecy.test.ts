import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { openTestSite } from "./log-in-server.ts";
import { places } from "./sentinel-requests.ts";

const site = await openTestSite({
  WFH_LOG_LEVEL: "debug",
  WFH_BODY_BYTES_MAX: "2048",
  WFH_METRICS: "on",
  WFH_METRICS_TOKEN: "m3tr1c5-".repeat(4),
});
const { server } = site;
const readers = { Authorization: `Bearer ${"m3tr1c5-".repeat(4)}` };

/** Sends bytes, ends, and resolves when the server has closed the connection. */
async function tell(bytes: string | Buffer): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  socket.resume();
  socket.end(bytes);
  await once(socket, "close");
}

/** All that the server has said of what happened to it. */
async function everythingSaid(): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, { headers: readers });
  assert.equal(response.status, 200);
  return server.log.join("") + (await response.text());
}

/** Forms in which a secret could be found: in any case, and in base64 at any place of three. */
function formsOf(secret: string): readonly RegExp[] {
  const packed = ["", "x", "xx"].map((before) =>
    Buffer.from(before + secret)
      .toString("base64")
      .slice(4, -4),
  );
  return [new RegExp(secret, "i"), ...packed.map((text) => new RegExp(text))];
}

/** Places that are logged on purpose, for wrong namespaces and refused origins (decision 0019). */
const logged = [
  "Origin: https://…, of a log-in",
  ...["name of the element", "namespace of the element", "action"].flatMap((where) => [
    `${where}, SOAP 1.1`,
    `${where}, SOAP 1.2`,
  ]),
];

test("nothing that a caller sends as a secret is in the log, at its most talkative, or in the metrics", async () => {
  const sent = places.map(([where, send]) => {
    const secret = `c4n4ry${randomBytes(6).toString("hex")}`;
    return { where, secret, bytes: send(secret) };
  });
  const before = server.log.length;
  await Promise.all(sent.map(({ bytes }) => tell(bytes)));
  // Successful ones leave no line.
  assert.ok(server.log.length - before > sent.length / 2, "the log tells of what was refused");
  const said = await everythingSaid();
  const found = sent.filter(({ secret }) => formsOf(secret).some((form) => form.test(said)));
  assert.deepEqual(
    found.map(({ where }) => where),
    logged,
  );
});
