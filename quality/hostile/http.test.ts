import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { get, openConnection, statusesIn } from "@wfh/server/test/server/connection.ts";
import type { TestServer } from "@wfh/server/test/test-server.ts";
import { checkDeclared, checkEdge, location } from "../harness/declared-responses.ts";
import { type Attack, attackServer } from "./attack.ts";
import { type HttpAttack, httpAttacks, smallLimits } from "./http-attacks.ts";

/** Answers in a text, each from its status line on. */
function responsesIn(text: string): readonly string[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/);
}

/** An answer is one of the bindings at the address of an operation, or one of the edge. */
function checkAny(text: string): void {
  const response = readResponse(text);
  try {
    checkEdge(response);
  } catch {
    checkDeclared(response, location, "operation");
  }
}

function toAttack({ name, bytes, statuses }: HttpAttack): Attack {
  return {
    name,
    run: async ({ url }) => {
      const text = await exchange(url, Buffer.from(bytes, "latin1"));
      assert.deepEqual(statusesIn(text), statuses, text);
      for (const response of responsesIn(text)) checkAny(response);
    },
  };
}

const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState";
const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
const begun = `${head}Content-Length: 16\r\n\r\npostalCo`;

/** Begins of a request after which somebody falls silent. */
const stages: readonly (readonly [name: string, bytes: string, statuses: readonly number[]])[] = [
  ["nothing", "", [408]],
  ["an empty line", "\r\n", [408]],
  ["half a request line", "GET /api", [408]],
  ["a request line", "GET / HTTP/1.1\r\n", [408]],
  ["half a field", "GET / HTTP/1.1\r\nHo", [408]],
  ["all but the end of the head", "GET / HTTP/1.1\r\nHost: x\r\n", [408]],
  ["a head", `${head}Content-Length: 16\r\n\r\n`, [408]],
  ["half a body", begun, [408]],
  ["half a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n10\r\npostal`, [408]],
  ["a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n10\r\npostalCode=10001\r\n`, [408]],
  ["a whole request", get(path), [500]],
  ["a request and half of another", `${get(path)}GET /`, [500, 408]],
];

const silent = stages.map(
  ([name, bytes, statuses]): Attack => ({
    name: `silence after ${name}`,
    run: async ({ url }) => {
      const connection = await openConnection(url);
      if (bytes !== "") await connection.send(bytes);
      const text = await connection.closed();
      assert.deepEqual(statusesIn(text), statuses);
    },
  }),
);

const halfOpen = stages.map(
  ([name, bytes]): Attack => ({
    name: `the caller's side ends after ${name}`,
    run: async ({ url }) => {
      const connection = await openConnection(url);
      await connection.end(bytes);
      const text = await connection.closed();
      for (const response of text === "" ? [] : responsesIn(text)) checkAny(response);
    },
  }),
);

const resets = stages.map(
  ([name, bytes]): Attack => ({
    name: `a reset after ${name}`,
    run: async ({ url }) => {
      const { hostname, port } = new URL(url);
      const { promise, resolve } = Promise.withResolvers<void>();
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.write(bytes || "\r", () => socket.resetAndDestroy());
      });
      socket.on("close", () => resolve());
      await promise;
    },
  }),
);

/** Time that a slow attacker takes for a byte, in milliseconds. */
const attackerMs = 10;

/** Sends one byte after the other for as long as the server takes it. */
async function trickle(url: string, text: string): Promise<string> {
  const connection = await openConnection(url);
  const closed = connection.closed();
  let isOpen = true;
  const ended = closed
    .catch(() => "")
    .then(() => {
      isOpen = false;
    });
  for (let at = 0; isOpen; at += 1) {
    const byte = text[at] ?? "a";
    await Promise.race([connection.send(byte).catch(() => {}), ended]);
    // The attacker's own pace, on which nothing here waits.
    await pause(attackerMs);
  }
  return closed.catch(() => "");
}

/** A caller that never ends is cut; where it was answered, with 408 and nothing else. */
function slowly(name: string, text: string): Attack {
  return {
    name,
    run: async ({ url }) => {
      const statuses = statusesIn(await trickle(url, text));
      assert.ok(
        statuses.every((status) => status === 408),
        String(statuses),
      );
    },
  };
}

const crowd: Attack = {
  name: "five times as many connections as there may be",
  run: async ({ url }) => {
    const count = 5 * Number(smallLimits.WFH_CONNECTIONS_MAX);
    const request = get(`${path}?postalCode=10001`, "Connection: close\r\n");
    const texts = await Promise.all(
      Array.from({ length: count }, () => exchange(url, request).catch(() => "")),
    );
    assert.ok(texts.some((text) => text !== ""));
    for (const text of texts) if (text !== "") assert.deepEqual(statusesIn(text), [200]);
    await Promise.all(texts.map(() => abandon(url)));
    await untilServed(url, request);
  },
};

/** Most connections that are tried until there is room for one. */
const triesMax = 1_000;

/** Resolves when the server has seen that the crowd is gone. */
async function untilServed(url: string, request: string): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    if ((await exchange(url, request).catch(() => "")) !== "") return;
  }
  throw new Error(`After ${triesMax} connections there is still no room for one`);
}

/** Connects and goes away with the first chance. */
async function abandon(url: string): Promise<void> {
  await openConnection(url).then(
    (connection) => connection.drop(),
    () => {},
  );
}

/** Takes no answer while it asks for many. */
const deaf: Attack = {
  name: "a caller that asks and never reads",
  run: async (server: TestServer) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.pause();
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => {});
    for (let i = 0; i < 40; i += 1) socket.write(get("/api/LocationUIHelper.asmx?wsdl"));
    await new Promise<void>((resolve) => socket.write(get("/"), () => resolve()));
    socket.destroy();
    await closed;
  },
};

await attackServer(
  "hostile HTTP",
  [
    ...httpAttacks.map(toAttack),
    {
      name: "requests that fall silent, all at once",
      run: async (server) => {
        await Promise.all(silent.map(({ run }) => run(server)));
      },
    },
    ...halfOpen,
    ...resets,
    {
      name: "slow heads and slow bodies, a byte at a time",
      run: async (server) => {
        await Promise.all([
          slowly("head", "GET / HTTP/1.1\r\nA: ").run(server),
          slowly("body", `${head}Content-Length: 1000\r\n\r\n`).run(server),
          slowly("chunks", `${head}Transfer-Encoding: chunked\r\n\r\n400\r\n`).run(server),
        ]);
      },
    },
    crowd,
    deaf,
  ],
  { settings: smallLimits },
);
