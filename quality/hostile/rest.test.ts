import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange } from "@wfh/server/test/exchange.ts";
import { openConnection, statusesIn } from "@wfh/server/test/server/connection.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { type Attack, attackServer } from "./attack.ts";
import { type RestAttack, restAttacks } from "./rest-attacks.ts";

const limits = { WFH_REQUEST_TIMEOUT_MS: "800", WFH_HEAD_TIMEOUT_MS: "500" };

function toAttack({ name, bytes, statuses }: RestAttack): Attack {
  return {
    name,
    run: async ({ url }) => {
      const text = await exchange(url, bytes);
      assert.deepEqual(statusesIn(text), statuses, text.slice(0, 2_000));
      assert.equal(Object.hasOwn(Object.prototype, "isHostile"), false);
      assert.doesNotMatch(text, /\n\s+at |node:|\.ts\b/);
    },
  };
}

const begun =
  "POST /api/v1/page-requests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
const slow: readonly Attack[] = [
  ["a head", `${begun}Content-Length: 9\r\n\r\n`],
  ["half a body", `${begun}Content-Length: 9\r\n\r\n{"kin`],
  ["half a chunk", `${begun}Transfer-Encoding: chunked\r\n\r\n10\r\n{"kin`],
].map(([name = "", bytes = ""]) => ({
  name: `silence after ${name}`,
  run: async ({ url }) => {
    const connection = await openConnection(url);
    await connection.send(bytes);
    assert.deepEqual(statusesIn(await connection.closed()), [408]);
  },
}));

const attacks = [...restAttacks.map(toAttack), ...slow];
await attackServer("the REST API", attacks, { settings: limits });

const withFastPath = await startTestServer(limits);
const without = await startTestServer({ ...limits, WFH_FAST_PATH: "off" });

/** Response without values that vary for the same request. */
function normalise(text: string): readonly string[] {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g, "<id>")
    .replace(/^Date: .*\r\n/gm, "Date\r\n")
    .split(/(?=HTTP\/1\.1 \d{3} [A-Z])/)
    .map((response) => {
      const [head = "", ...body] = response.split("\r\n\r\n");
      return [...head.split("\r\n").toSorted(), ...body].join("\n");
    });
}

for (const { name, bytes } of restAttacks) {
  test(`without the fast path, the response is the same: ${name}`, async () => {
    const [fast, plain] = await Promise.all([
      exchange(withFastPath.url, bytes),
      exchange(without.url, bytes),
    ]);
    assert.deepEqual(normalise(plain), normalise(fast));
  });
}
