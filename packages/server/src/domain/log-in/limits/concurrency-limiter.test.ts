import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ConcurrencyLimiter,
  TooManyLogInsError,
  toConcurrencyLimits,
} from "./concurrency-limiter.ts";
import { networkRateLimit } from "./rate-limits.ts";

const oneNode = () => 1;

function openLimiter(max: number) {
  return new ConcurrencyLimiter({ max, networkRunning: 4, countedMax: 100 }, oneNode);
}

/** Keys of an account; each comes from a network of its own. */
function on(account: string, network = account, isOwner = false) {
  return { account, network, isOwner };
}

/** Work that ends on request. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { run: () => promise, resolve, reject };
}

test("work beyond the limit is refused at once, and let in again once other work has ended", async () => {
  const limiter = openLimiter(2);
  const one = createWork();
  const other = createWork();
  const first = limiter.run(on("a"), one.run);
  const second = limiter.run(on("b"), other.run);
  await assert.rejects(
    limiter.run(on("c"), () => assert.fail("It ran")),
    TooManyLogInsError,
  );
  assert.equal(limiter.count(), 2);
  one.resolve();
  await first;
  assert.equal(limiter.count(), 1);
  assert.equal(await limiter.run(on("c"), async () => "ran"), "ran");
  other.resolve();
  await second;
});

test("work on one key runs one after the other, in order; on another key at the same time", async () => {
  const limiter = openLimiter(10);
  const started: string[] = [];
  const gates = [createWork(), createWork()];
  const run = (name: string, gate?: ReturnType<typeof createWork>) => async () => {
    started.push(name);
    await gate?.run();
  };
  const first = limiter.run(on("a"), run("a1", gates[0]));
  const second = limiter.run(on("a"), run("a2", gates[1]));
  const third = limiter.run(on("a"), run("a3"));
  await limiter.run(on("b"), run("b1"));
  assert.deepEqual(started, ["a1", "b1"]);
  gates[0]?.resolve();
  await first;
  assert.deepEqual(started, ["a1", "b1", "a2"]);
  gates[1]?.resolve();
  await Promise.all([second, third]);
  assert.deepEqual(started, ["a1", "b1", "a2", "a3"]);
});

test("four attempts of one network run at the same time, the next one waits", async () => {
  const limiter = openLimiter(100);
  const gates = Array.from({ length: 5 }, createWork);
  const started: number[] = [];
  const runs = gates.map((gate, i) =>
    limiter.run(on(`account ${i}`, "network"), () => {
      started.push(i);
      return gate.run();
    }),
  );
  await limiter.run(on("elsewhere"), async () => {});
  assert.deepEqual(started, [0, 1, 2, 3]);
  gates[3]?.resolve();
  await runs[3];
  assert.equal(started.at(-1), 4);
  for (const gate of gates) gate.resolve();
  await Promise.all(runs);
});

const crowds: readonly [
  what: string,
  most: number,
  keysOf: (i: number) => ReturnType<typeof on>,
][] = [
  ["account", 8, (i) => on("account", `network ${i}`)],
  ["network", 25, (i) => on(`account ${i}`, "network")],
];
for (const [what, most, keysOf] of crowds) {
  test(`a crowd of one ${what} takes ${most} of 100 permits, and leaves the rest to others`, async () => {
    const limiter = openLimiter(100);
    const gate = createWork();
    const crowd = Array.from({ length: 60 }, (_, i) => limiter.run(keysOf(i), gate.run));
    const settled = Promise.allSettled(crowd);
    assert.equal(await limiter.run(on("victim"), async () => "in"), "in");
    gate.resolve();
    const refused = (await settled).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 60 - most);
    assert.equal(await limiter.run(keysOf(0), async () => "in again"), "in again");
  });
}

test("owners have room of their own, whatever strangers do to their account", async () => {
  const limiter = openLimiter(2);
  const gate = createWork();
  const strangers = [on("ada"), on("bob")].map((keys) => limiter.run(keys, gate.run));
  await assert.rejects(limiter.run(on("ada"), gate.run), TooManyLogInsError);
  assert.equal(await limiter.run(on("ada", "ada", true), async () => "in"), "in");
  gate.resolve();
  await Promise.all(strangers);
});

test("the next attempt is counted once an earlier one is verified, and not before", async () => {
  const limiter = new ConcurrencyLimiter({ max: 10, networkRunning: 4, countedMax: 1 }, oneNode);
  const written = createWork();
  const begun: string[] = [];
  const steps: (() => void)[] = [];
  const first = limiter.run(on("a"), (verified) => {
    steps.push(verified);
    return written.run();
  });
  const second = limiter.run(on("b"), async () => void begun.push("b"));
  assert.deepEqual(begun, []);
  steps[0]?.();
  await second;
  assert.deepEqual(begun, ["b"]);
  written.resolve();
  await first;
});

test("an owner is counted at once, however many strangers wait to be verified", async () => {
  const limiter = new ConcurrencyLimiter({ max: 10, networkRunning: 4, countedMax: 1 }, oneNode);
  const gate = createWork();
  const crowd = ["a", "b", "c"].map((account) => limiter.run(on(account), gate.run));
  assert.equal(await limiter.run(on("ada", "ada", true), async () => "in"), "in");
  gate.resolve();
  await Promise.all(crowd);
});

for (const nodes of [1, 2, 3, 4, 8, 14, 28]) {
  test(`${nodes} nodes, and one that has just joined, run fewer attempts of a network than may fail in a window`, async () => {
    const limits = toConcurrencyLimits({ hashesAtOnce: 1_000, hashQueueMax: 64 });
    const limiter = new ConcurrencyLimiter(limits, () => nodes);
    const gate = createWork();
    let running = 0;
    const crowd = Array.from({ length: 40 }, (_, i) =>
      limiter.run(on(`account ${i}`, "office"), () => {
        running += 1;
        return gate.run();
      }),
    );
    assert.ok(running > 0);
    assert.ok((nodes + 1) * running < networkRateLimit.windowMax);
    gate.resolve();
    await Promise.all(crowd);
  });
}

test("a node that joins leaves fewer attempts of a network to the others", async () => {
  let nodes = 1;
  const limits = toConcurrencyLimits({ hashesAtOnce: 64, hashQueueMax: 64 });
  const limiter = new ConcurrencyLimiter(limits, () => nodes);
  const countRunning = async () => {
    const gate = createWork();
    let running = 0;
    const crowd = Array.from({ length: 20 }, (_, i) =>
      limiter.run(on(`account ${i}`, "office"), () => {
        running += 1;
        return gate.run();
      }),
    );
    const found = running;
    gate.resolve();
    await Promise.all(crowd);
    return found;
  };
  assert.equal(await countRunning(), 14);
  nodes = 4;
  assert.equal(await countRunning(), 5);
});

const bounds: readonly [hashesAtOnce: number, networkRunning: number, countedMax: number][] = [
  [1, 4, 4],
  [8, 8, 32],
  [64, 64, 256],
];
for (const [hashesAtOnce, networkRunning, countedMax] of bounds) {
  test(`with ${hashesAtOnce} hashes at once, up to ${networkRunning} attempts of a network run and ${countedMax} are counted`, () => {
    assert.deepEqual(toConcurrencyLimits({ hashesAtOnce, hashQueueMax: 64 }), {
      max: hashesAtOnce + 64,
      networkRunning,
      countedMax,
    });
  });
}
