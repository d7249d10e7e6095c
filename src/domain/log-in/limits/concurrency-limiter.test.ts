import assert from "node:assert/strict";
import { test } from "node:test";
import { createConcurrencyLimiter, TooManyLogInsError } from "./concurrency-limiter.ts";

/** Keys of an account; each comes from a network of its own. */
function on(account: string, network = account) {
  return { account, network };
}

/** Work that ends when it is told to. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { run: () => promise, resolve, reject };
}

test("work beyond the limit is refused at once, and let in again once other work has ended", async () => {
  const admission = createConcurrencyLimiter({ max: 2, networkPlaces: 4 });
  const one = createWork();
  const other = createWork();
  const first = admission.run(on("a"), one.run);
  const second = admission.run(on("b"), other.run);
  await assert.rejects(
    admission.run(on("c"), () => assert.fail("It ran")),
    TooManyLogInsError,
  );
  assert.equal(admission.count(), 2);
  one.resolve();
  await first;
  assert.equal(admission.count(), 1);
  assert.equal(await admission.run(on("c"), async () => "ran"), "ran");
  other.resolve();
  await second;
});

test("work on one key runs one after the other, in order; on another key at the same time", async () => {
  const admission = createConcurrencyLimiter({ max: 10, networkPlaces: 4 });
  const started: string[] = [];
  const gates = [createWork(), createWork()];
  const run = (name: string, gate?: ReturnType<typeof createWork>) => async () => {
    started.push(name);
    await gate?.run();
  };
  const first = admission.run(on("a"), run("a1", gates[0]));
  const second = admission.run(on("a"), run("a2", gates[1]));
  const third = admission.run(on("a"), run("a3"));
  await admission.run(on("b"), run("b1"));
  assert.deepEqual(started, ["a1", "b1"]);
  gates[0]?.resolve();
  await first;
  assert.deepEqual(started, ["a1", "b1", "a2"]);
  gates[1]?.resolve();
  await Promise.all([second, third]);
  assert.deepEqual(started, ["a1", "b1", "a2", "a3"]);
});

test("work that fails lets the next in", async () => {
  const admission = createConcurrencyLimiter({ max: 1, networkPlaces: 4 });
  await assert.rejects(
    admission.run(on("a"), () => Promise.reject(new Error("broken"))),
    /broken/,
  );
  assert.equal(await admission.run(on("a"), async () => 1), 1);
});

test("four attempts of one network are on their way at the same time, the next one waits", async () => {
  const admission = createConcurrencyLimiter({ max: 100, networkPlaces: 4 });
  const gates = Array.from({ length: 5 }, createWork);
  const started: number[] = [];
  const runs = gates.map((gate, i) =>
    admission.run(on(`account ${i}`, "network"), () => {
      started.push(i);
      return gate.run();
    }),
  );
  await admission.run(on("elsewhere"), async () => {});
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
  test(`a crowd of one ${what} takes ${most} of 100 places, and leaves the rest to others`, async () => {
    const admission = createConcurrencyLimiter({ max: 100, networkPlaces: 4 });
    const gate = createWork();
    const crowd = Array.from({ length: 60 }, (_, i) => admission.run(keysOf(i), gate.run));
    const settled = Promise.allSettled(crowd);
    assert.equal(await admission.run(on("victim"), async () => "in"), "in");
    gate.resolve();
    const refused = (await settled).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 60 - most);
    assert.equal(await admission.run(keysOf(0), async () => "in again"), "in again");
  });
}
