import assert from "node:assert/strict";
import { TooManyLogInsError } from "../../src/domain/log-in/limits/concurrency-limiter.ts";
import { addressIn, guess, logIn } from "./browser.ts";
import { adaId, day, minute, type Node, second, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Guesses on one account, each from a network of its own, as a botnet does. */
function botnet(node: Node) {
  let bots = 0;
  return async (userName = "Ada") => {
    bots += 1;
    return guess(node, userName, { address: addressIn(bots) });
  };
}

/** Guesses until the next one would be held back. */
async function useUp(world: World, userName = "Ada"): Promise<void> {
  for (let i = 0; i < 5; i += 1) await guess(world.node, userName);
}

/** Pauses from the fifth attempt on: delays, and the window of ten attempts. */
const pausesS = [1, 2, 4, 8, 16, 900, 64, 128, 256, 300, 300, 300, 300, 300, 300, 900, 300, 300];

/** Guessing the password of one account. */
export const accountGuessing: Scenarios = {
  "five guesses are verified, the sixth is not": async ({ node }) => {
    const attempt = botnet(node);
    for (let i = 0; i < 6; i += 1) assert.equal(await attempt(), "refused");
    assert.equal(node.verified.length, 5);
  },

  "an attempt that has to wait is counted when its turn comes": async (world) => {
    const node = world.openNode({ countedMax: 1 });
    await world.addAccount("Bob");
    const verifying = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    node.whileVerifying = () => {
      verifying.resolve();
      return end.promise;
    };
    const guesses = ["Ada", "Bob"].map((name) => guess(node, name));
    await verifying.promise;
    const counters = "SELECT count(*) AS n FROM log_in_counters WHERE key LIKE 'account:%'";
    const [during] = await world.database.query(counters);
    assert.equal(Number(during?.["n"]), 1);
    end.resolve();
    assert.deepEqual(await Promise.all(guesses), ["refused", "refused"]);
    const [after] = await world.database.query(counters);
    assert.equal(Number(after?.["n"]), 2);
  },

  "each further guess waits longer, up to five minutes, and ten fit into a quarter of an hour":
    async (world) => {
      const { node } = world;
      const attempt = botnet(node);
      for (let i = 0; i < 5; i += 1) await attempt();
      for (const [i, pauseS] of pausesS.entries()) {
        world.nowMs += pauseS * second - 1;
        await attempt();
        assert.equal(node.verified.length, 5 + i, `${pauseS} s after guess ${5 + i}, too early`);
        world.nowMs += 1;
        await attempt();
        assert.equal(node.verified.length, 6 + i, `${pauseS} s after guess ${5 + i}`);
      }
    },

  "the right password is refused during a delay like a wrong one, and good after it": async (
    world,
  ) => {
    const { node } = world;
    await useUp(world);
    const wrong = await logIn(node, { password: "wrong" });
    const right = await logIn(node);
    assert.deepEqual(right, wrong);
    assert.deepEqual(right, { kind: "refused" });
    world.nowMs += second;
    assert.equal((await logIn(node)).kind, "in");
  },

  "a hundred guesses in a row hold the account, until an operator enables it": async (world) => {
    const { node, office } = world;
    const attempt = botnet(node);
    for (let i = 0; i < 100; i += 1) {
      world.nowMs += 15 * minute;
      await attempt();
    }
    assert.equal(node.verified.length, 100);
    assert.deepEqual((await world.events()).slice(-2), [
      "log-in-refused wrong-password",
      "account-blocked",
    ]);
    world.nowMs += 30 * day;
    assert.deepEqual(await logIn(node), { kind: "refused" });
    assert.equal((await world.events()).at(-1), "log-in-refused blocked");
    assert.equal((await world.events()).filter((event) => event === "account-blocked").length, 1);
    await office.setEnabled(adaId, true, world.nowMs);
    await world.forget(" ADA ");
    assert.equal((await logIn(node)).kind, "in");
  },

  "a log-in sets the count of its account back": async (world) => {
    const { node } = world;
    for (let i = 0; i < 4; i += 1) await guess(node);
    assert.equal((await logIn(node)).kind, "in");
    for (let i = 0; i < 4; i += 1) await guess(node);
    assert.equal((await logIn(node)).kind, "in");
  },

  "an unknown name gets the same response and count as a known one": async (world) => {
    const { node } = world;
    const histories = [];
    const startMs = world.nowMs;
    for (const userName of ["Ada", "Unknown"]) {
      world.nowMs = startMs;
      const before = { verified: node.verified.length, works: node.works.length };
      const outcomes = [];
      for (const pauseS of [0, 0, 0, 0, 0, 0, 1, 1, 1, 4, 7, 8, 16, 1, 900, 1]) {
        world.nowMs += pauseS * second;
        const outcome = await logIn(node, { userName, password: "wrong" });
        const verified = node.verified.length - before.verified;
        outcomes.push({ outcome, verified, works: node.works.slice(before.works) });
      }
      histories.push(outcomes);
    }
    assert.deepEqual(histories[1], histories[0]);
    assert.equal(histories[0]?.at(-1)?.verified, 11);
  },

  "spellings of one name share its attempts": async (world) => {
    const { node } = world;
    await world.addAccount("Bob");
    for (const userName of ["Bob", " bob ", "ＢＯＢ", "bOB", "Ｂob\t"]) await guess(node, userName);
    for (const userName of ["bob", "ＢＯＢ "]) {
      assert.equal((await logIn(node, { userName })).kind, "refused");
    }
    assert.equal(node.verified.length, 5);
    assert.equal((await logIn(node, { userName: "Ada" })).kind, "in");
    world.nowMs += second;
    assert.equal((await logIn(node, { userName: " ＢOb" })).kind, "in");
  },

  "a thousand guesses at once, over two nodes, are five": async (world) => {
    const nodes = [world.node, world.openNode()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, i) => {
        const node = nodes[i % 2] ?? world.node;
        const credentials = i < 20 ? { password: `guess ${i}` } : {};
        return logIn(node, credentials, { address: addressIn(i) });
      }),
    );
    const kinds = outcomes.flatMap((one) => (one.status === "fulfilled" ? one.value.kind : []));
    assert.deepEqual(new Set(kinds), new Set(["refused"]));
    // Of a crowd on one account most are not looked at: there is no place for them to wait.
    assert.ok(kinds.length >= 5 && kinds.length < 1_000);
    for (const one of outcomes) {
      if (one.status === "rejected") assert.ok(one.reason instanceof TooManyLogInsError);
    }
    assert.equal(nodes.flatMap(({ verified }) => verified).length, 5);
    const delayed = (await world.events()).filter((event) => event === "log-in-refused delayed");
    assert.equal(delayed.length, kinds.length - 5);
  },

  "the owner's own log-ins at once all succeed, over two nodes as well": async (world) => {
    const nodes = [world.node, world.openNode()];
    const calls = Array.from({ length: 8 }, (_, i) => logIn(nodes[i % 2] ?? world.node));
    const outcomes = await Promise.all(calls);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      Array(8).fill("in"),
    );
  },
};
