import assert from "node:assert/strict";
import { test } from "node:test";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { type LogInEnd, reportEnd } from "./log-in.ts";
import { LogInUnavailableError } from "./log-in-store.ts";

/** Reports into a list. */
function report(by: "password" | "cookie", logIn: Promise<{ readonly kind: LogInEnd }>) {
  const ends: string[] = [];
  return { ends, outcome: reportEnd((...end) => ends.push(end.join(" ")), by, logIn) };
}

for (const kind of ["in", "refused", "network-held", "forbidden", "not"] as const) {
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

const errors: readonly (readonly [end: string, cause: Error])[] = [
  ["busy", new TooManyLogInsError()],
  ["unavailable", new LogInUnavailableError(new Error("the database is gone"))],
  ["failed", new Error("a bug")],
];
for (const [end, cause] of errors) {
  test(`a log-in that cannot be decided is reported as ${end}, and its error is passed on`, async () => {
    const { ends, outcome } = report("password", Promise.reject(cause));
    await assert.rejects(outcome, cause);
    assert.deepEqual(ends, [`password ${end}`]);
  });
}
