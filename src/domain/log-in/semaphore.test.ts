import assert from "node:assert/strict";
import { test } from "node:test";
import { Semaphore } from "./semaphore.ts";

/** Works that end when they are told to, and the order in which they begin. */
function createWorks(semaphore: Semaphore) {
  const begun: string[] = [];
  return {
    begun,
    add: (name: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const done = semaphore.run(() => {
        begun.push(name);
        return promise;
      });
      return { done, end: () => resolve(name), fail: () => reject(new Error(name)) };
    },
  };
}

test("no more works are done at once than there are permits, first come first served", async () => {
  const semaphore = new Semaphore(2);
  const works = createWorks(semaphore);
  const [a, b, c, d] = ["a", "b", "c", "d"].map(works.add);
  assert.deepEqual(works.begun, ["a", "b"]);
  assert.deepEqual(semaphore.load, { running: 2, waiting: 2 });
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

test("a work that fails gives its permit back", async () => {
  const works = createWorks(new Semaphore(1));
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

test("a permit that is handed over is not taken by work that comes just then", async () => {
  const works = createWorks(new Semaphore(1));
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

for (const permits of [0, -1, 1.5, Number.NaN]) {
  test(`${permits} is no number of permits`, () => {
    assert.throws(() => new Semaphore(permits), RangeError);
  });
}
