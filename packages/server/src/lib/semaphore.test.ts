import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedSemaphore, Semaphore } from "./semaphore.ts";

type Run = (work: () => Promise<string>) => Promise<string>;

/** Work that ends on request, and the order in which it begins. */
function createWorks(semaphore: Semaphore) {
  const begun: string[] = [];
  return { begun, add: (name: string) => addWork(begun, name, (work) => semaphore.run(work)) };
}

function addWork(begun: string[], name: string, run: Run) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const done = run(() => {
    begun.push(name);
    return promise;
  });
  return { done, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test("no more work runs at once than there are permits, first come first served", async () => {
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

test("work that fails gives its permit back", async () => {
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

const account = ["account", 1] as const;
const network = ["network", 2] as const;

/** The same for a keyed semaphore; `add` says which permits the work needs. */
function createKeyedWorks(semaphore: KeyedSemaphore) {
  const begun: string[] = [];
  return {
    begun,
    add: (name: string, ...needed: ReadonlyArray<readonly [key: string, permits: number]>) =>
      addWork(begun, name, (work) => semaphore.run(new Map(needed), work)),
  };
}

test("keyed work runs when a permit of each of its keys is free, and passes work that waits for another key", async () => {
  const semaphore = new KeyedSemaphore();
  const works = createKeyedWorks(semaphore);
  const a = works.add("a", account, network);
  const b = works.add("b", account, network);
  const c = works.add("c", network);
  const d = works.add("d", ["other account", 1]);
  assert.deepEqual(works.begun, ["a", "c", "d"]);
  assert.deepEqual([semaphore.loadOf("account"), semaphore.loadOf("network")], [2, 3]);
  a.end();
  await a.done;
  assert.deepEqual(works.begun, ["a", "c", "d", "b"]);
  for (const work of [b, c, d]) work.end();
  await Promise.all([b.done, c.done, d.done]);
  assert.deepEqual([semaphore.loadOf("account"), semaphore.loadOf("network")], [0, 0]);
});

test("keyed work that waits for one key holds no permit of another", async () => {
  const works = createKeyedWorks(new KeyedSemaphore());
  const single = ["network", 1] as const;
  const a = works.add("a", account);
  const b = works.add("b", account, single);
  const c = works.add("c", single);
  assert.deepEqual(works.begun, ["a", "c"]);
  for (const work of [a, b, c]) work.end();
  await Promise.all([a.done, b.done, c.done]);
  assert.deepEqual(works.begun, ["a", "c", "b"]);
});

test("keyed work that fails gives all its permits back", async () => {
  const works = createKeyedWorks(new KeyedSemaphore());
  const a = works.add("a", account, network);
  const b = works.add("b", account, network);
  a.fail();
  await assert.rejects(async () => a.done, { message: "a" });
  b.end();
  assert.equal(await b.done, "b");
});

test("keyed work may give a permit back before it ends, once", async () => {
  const semaphore = new KeyedSemaphore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = semaphore.run(new Map([account, network]), async (release) => {
    release("account");
    release("account");
    await promise;
  });
  assert.equal(await semaphore.run(new Map([account]), async () => "runs"), "runs");
  assert.deepEqual([semaphore.loadOf("account"), semaphore.loadOf("network")], [0, 1]);
  resolve();
  await first;
  assert.equal(semaphore.loadOf("network"), 0);
});

test("a key that is named twice takes one permit, and gives it back", async () => {
  const semaphore = new KeyedSemaphore();
  const works = createKeyedWorks(semaphore);
  const a = works.add("a", account, account);
  const b = works.add("b", account);
  assert.deepEqual(works.begun, ["a"]);
  for (const work of [a, b]) work.end();
  await Promise.all([a.done, b.done]);
  assert.deepEqual([works.begun, semaphore.loadOf("account")], [["a", "b"], 0]);
});
