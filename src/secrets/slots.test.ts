import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "./slots.ts";

/** Works that end when they are told to, and the order in which they begin. */
function createWorks(slots: Slots) {
  const begun: string[] = [];
  return {
    begun,
    add: (name: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const done = slots.run(() => {
        begun.push(name);
        return promise;
      });
      return { done, end: () => resolve(name), fail: () => reject(new Error(name)) };
    },
  };
}

test("no more works are done at once than there are places, first come first served", async () => {
  const slots = new Slots(2);
  const works = createWorks(slots);
  const [a, b, c, d] = ["a", "b", "c", "d"].map(works.add);
  assert.deepEqual(works.begun, ["a", "b"]);
  assert.deepEqual(slots.load, { running: 2, waiting: 2 });
  b?.end();
  assert.equal(await b?.done, "b");
  assert.deepEqual(works.begun, ["a", "b", "c"]);
  a?.end();
  await a?.done;
  assert.deepEqual(works.begun, ["a", "b", "c", "d"]);
  c?.end();
  d?.end();
  await Promise.all([c?.done, d?.done]);
});

test("a work that fails gives its place back", async () => {
  const works = createWorks(new Slots(1));
  const [a, b] = ["a", "b"].map(works.add);
  a?.fail();
  await assert.rejects(async () => a?.done, { message: "a" });
  assert.deepEqual(works.begun, ["a", "b"]);
  b?.end();
  await b?.done;
  const c = works.add("c");
  assert.deepEqual(works.begun, ["a", "b", "c"]);
  c.end();
  await c.done;
});

test("a place that is handed over is not taken by who comes just then", async () => {
  const works = createWorks(new Slots(1));
  const [a, b] = ["a", "b"].map(works.add);
  a?.end();
  await a?.done;
  const c = works.add("c");
  assert.deepEqual(works.begun, ["a", "b"]);
  b?.end();
  await b?.done;
  c.end();
  await c.done;
  assert.deepEqual(works.begun, ["a", "b", "c"]);
});

for (const places of [0, -1, 1.5, Number.NaN]) {
  test(`${places} is no number of places`, () => {
    assert.throws(() => new Slots(places), RangeError);
  });
}
