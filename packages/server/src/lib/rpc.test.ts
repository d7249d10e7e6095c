import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { createAbandonedCalls, RpcClient, RpcServer, remote } from "./rpc.ts";

class TakenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TakenError";
  }
}

const held = Promise.withResolvers<string>();
const createApi = (started: string[]) => ({
  words: {
    join: async (a: string, b: bigint) => {
      started.push("words.join");
      return `${a}${b}`;
    },
    fail: async () => {
      throw Object.assign(new TakenError("taken"), { code: "E1", cause: new RangeError("why") });
    },
    wait: () => held.promise,
    spell: async () => () => "a function",
  },
});
type Api = ReturnType<typeof createApi>;

function connect() {
  const { port1, port2 } = new MessageChannel();
  const abandoned = createAbandonedCalls();
  const started: string[] = [];
  const late: string[] = [];
  const server = new RpcServer(port2, createApi(started), abandoned);
  const client = new RpcClient({
    port: port1,
    errors: [TakenError],
    abandoned,
    onLate: () => late.push("late"),
  });
  return { client, server, started, late, close: () => port1.close() };
}

test("a method of the other side is called as if it were here", async () => {
  const { client, close } = connect();
  const { words } = remote<Api>(client.call);
  assert.equal(await words.join("n", 9_007_199_254_740_993n), "n9007199254740993");
  assert.equal(await Promise.resolve(words), words);
  close();
});

test("an error comes back with its class, code and cause", async () => {
  const { client, close } = connect();
  await assert.rejects(client.call("words.fail", []), (error) => {
    assert.ok(error instanceof TakenError);
    const { name, message, code, cause } = error as Error & { code?: string };
    assert.deepEqual([name, message, code], ["TakenError", "taken", "E1"]);
    assert.ok(cause instanceof Error);
    assert.deepEqual([cause.name, cause.message], ["RangeError", "why"]);
    return true;
  });
  close();
});

for (const method of ["words.none", "none.join", "words.constructor", "toString.call", ""]) {
  test(`there is no method "${method}"`, async () => {
    const { client, close } = connect();
    await assert.rejects(client.call(method, []), /^Error: There is no method/);
    close();
  });
}

test("close() rejects calls without a response, and later ones", async () => {
  const { client, close } = connect();
  const waiting = client.call("words.wait", []);
  client.close(new Error("closed"));
  await assert.rejects(waiting, /^Error: closed$/);
  await assert.rejects(client.call("words.join", ["a", 1n]), /^Error: closed$/);
  close();
});

test("an abandoned call is not started, and its response is too late", async () => {
  const { client, started, late, close } = connect();
  const given = client.call("words.join", ["a", 1n]);
  client.abandon(new Error("too long"));
  await assert.rejects(given, /^Error: too long$/);
  assert.equal(await client.call("words.join", ["b", 2n]), "b2");
  assert.deepEqual([started, late], [["words.join"], ["late"]]);
  close();
});

test("rejectWaiting() rejects what has arrived and was not started", async () => {
  const { client, server, started, close } = connect();
  const calls = [1n, 2n].map((number) => client.call("words.join", ["a", number]));
  server.rejectWaiting(new TakenError("locked"));
  for (const call of calls) await assert.rejects(call, TakenError);
  assert.deepEqual(started, []);
  close();
});

test("an argument or a result that cannot be cloned rejects its call, and no other", async () => {
  const { client, started, close } = connect();
  await assert.rejects(client.call("words.join", [() => "a function"]), { name: "DataCloneError" });
  await assert.rejects(client.call("words.spell", []), { name: "DataCloneError" });
  assert.equal(await client.call("words.join", ["a", 1n]), "a1");
  assert.deepEqual(started, ["words.join"]);
  close();
});
