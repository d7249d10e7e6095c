import assert from "node:assert/strict";
import { test } from "node:test";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { type LogInEnd, reportEnd } from "./log-in.ts";
import { LogInUnavailableError } from "./log-in-store.ts";

/** Reports into a list. */
function report(by: "password" | "cookie", logIn: Promise<{ readonly kind: LogInEnd }>) {
  const ends: string[] = [];
  const timers = new Map<number, () => void>();
  const deps: Parameters<typeof reportEnd>[0] = {
    onEnd: (...end) => ends.push(end.join(" ")),
    after: (delayMs, run) => {
      timers.set(delayMs, run);
      return () => timers.delete(delayMs);
    },
  };
  return { ends, timers, outcome: reportEnd(deps, by, logIn) };
}

for (const kind of ["in", "refused", "network-blocked", "forbidden", "not"] as const) {
  test(`a log-in that ends as ${kind} is reported as that, and its outcome is passed on`, async () => {
    const { ends, outcome } = report("password", Promise.resolve({ kind }));
    assert.deepEqual(await outcome, { kind });
    assert.deepEqual(ends, [`password ${kind}`]);
  });
}

test("an automatic log-in is reported as one", async () => {
  const { ends, outcome } = report("cookie", Promise.resolve({ kind: "not" }));
  await outcome;
  assert.deepEqual(ends, ["cookie not"]);
});

for (const by of ["password", "cookie"] as const) {
  test(`a log-in by ${by} that takes longer than 10 seconds ends as unavailable`, async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const { ends, timers, outcome } = report(by, promise);
    timers.get(10_000)?.();
    await assert.rejects(outcome, LogInUnavailableError);
    assert.deepEqual(ends, [`${by} unavailable`]);
    // Its own end is of no interest any more.
    reject(new Error("later"));
  });
}

test("a log-in that ends in time leaves no timer behind", async () => {
  const { timers, outcome } = report("password", Promise.resolve({ kind: "in" }));
  assert.equal(timers.size, 1);
  await outcome;
  assert.equal(timers.size, 0);
});

const errors: readonly (readonly [end: string, cause: Error])[] = [
  ["busy", new TooManyLogInsError()],
  ["unavailable", new LogInUnavailableError("the database is gone")],
  ["failed", new Error("a bug")],
];
for (const [end, cause] of errors) {
  test(`a log-in that cannot be decided is reported as ${end}, and its error is passed on`, async () => {
    const { ends, outcome } = report("password", Promise.reject(cause));
    await assert.rejects(outcome, cause);
    assert.deepEqual(ends, [`password ${end}`]);
  });
}
