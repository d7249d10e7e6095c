import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { growingOf, type MetricSamples } from "../server/metrics/samples.ts";
import { createFigureBook } from "./metrics-aggregator.ts";

/** Figures of a process, as they come out of a pipe. */
function figures(calls: number, connections: number): MetricSamples {
  const metric = { help: "Help.", aggregator: "sum", collect: () => {} };
  const counter = { ...metric, name: "calls_total", type: "counter" };
  const gauge = { ...metric, name: "connections", type: "gauge" };
  return [
    { ...counter, values: [{ value: calls, labels: {} }] },
    { ...gauge, values: [{ value: connections, labels: {} }] },
  ] as unknown as MetricSamples;
}

/** A book over workers that answer when the test says so, and a clock that it moves. */
function openBook() {
  let giveUp = () => {};
  const asked: string[] = [];
  const book = createFigureBook<string>({
    own: async () => [],
    ask: (worker) => asked.push(worker),
    after: (_delayMs, run) => {
      giveUp = run;
      return () => {};
    },
  });
  /** Reads with answers of some of these workers; the others are silent. */
  const read = async (
    workers: readonly string[],
    answers: Readonly<Record<string, MetricSamples>>,
  ) => {
    const reading = book.read(workers);
    for (const [worker, answer] of Object.entries(answers)) book.hear(worker, answer);
    await setImmediate();
    giveUp();
    return linesOf(await reading);
  };
  return { book, asked, read };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("figures of all workers are one, and each is asked once for readers that come together", async () => {
  const { book, asked } = openBook();
  const readings = [book.read(["a", "b"]), book.read(["a", "b"])];
  book.hear("a", figures(3, 1));
  book.hear("b", figures(4, 2));
  for (const text of await Promise.all(readings)) {
    assert.deepEqual(linesOf(text), ["calls_total 7", "connections 3"]);
  }
  assert.deepEqual(asked, ["a", "b"]);
});

test("of a silent worker its last counts stay and its gauges do not, and it is counted", async () => {
  const { book, read } = openBook();
  await read(["a", "b"], { a: figures(3, 1), b: figures(4, 2) });
  assert.deepEqual(await read(["a", "b"], { a: figures(5, 1) }), [
    "calls_total 9",
    "connections 1",
  ]);
  assert.equal(book.silent(), 1);
  assert.deepEqual(await read(["a", "b"], { a: figures(5, 1), b: figures(6, 3) }), [
    "calls_total 11",
    "connections 4",
  ]);
  assert.equal(book.silent(), 0);
});

test("what workers counted that are gone stays, once", async () => {
  const { book, read } = openBook();
  await read(["a", "b"], { a: figures(3, 1), b: figures(4, 2) });
  book.leave("a");
  book.leave("b");
  assert.deepEqual(await read(["c"], { c: figures(1, 1) }), ["calls_total 8", "connections 1"]);
});

test("a worker that dies while it is asked is not waited for", async () => {
  const { book, read } = openBook();
  await read(["a", "b"], { a: figures(3, 1), b: figures(4, 2) });
  const reading = book.read(["a", "b"]);
  book.hear("a", figures(5, 1));
  book.leave("b");
  assert.deepEqual(linesOf(await reading), ["calls_total 9", "connections 1"]);
  assert.equal(book.silent(), 0);
});

test("what a worker said between two readings stays when it is killed before the next, and is no gauge", async () => {
  const { book, read } = openBook();
  await read(["a", "b"], { a: figures(3, 1), b: figures(4, 2) });
  book.keep("a", growingOf(figures(9, 1)));
  book.leave("a");
  assert.deepEqual(await read(["b"], { b: figures(4, 2) }), ["calls_total 13", "connections 2"]);
});

test("no total ever falls, whatever workers say and whenever they are silent, die and are replaced", async () => {
  const event = fc.record({
    worker: fc.constantFrom("a", "b"),
    does: fc.constantFrom("answers", "is silent", "says", "dies"),
    calls: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
      const { book, read } = openBook();
      const counted = new Map<string, number>();
      let total = 0;
      for (const { worker, does, calls } of events) {
        const count = (counted.get(worker) ?? 0) + calls;
        counted.set(worker, count);
        if (does === "says") book.keep(worker, growingOf(figures(count, 1)));
        if (does === "dies") {
          book.leave(worker);
          counted.delete(worker);
        }
        const answers = does === "answers" ? { [worker]: figures(count, 1) } : {};
        const [line = "calls_total 0"] = await read(does === "answers" ? [worker] : [], answers);
        const now = Number(line.split(" ")[1]);
        assert.ok(now >= total, `${now} after ${total}`);
        total = now;
      }
    }),
    { numRuns: 50 },
  );
});
