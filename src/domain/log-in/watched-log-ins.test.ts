import assert from "node:assert/strict";
import { test } from "node:test";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { LogInUnavailableError } from "./log-in-store.ts";
import type { Visitor } from "./visitor.ts";
import { type LogIns, watchLogIns } from "./watched-log-ins.ts";

const visitor: Visitor = {
  requestId: "r-1",
  address: null,
  userAgent: null,
  origin: null,
  isOwnOrigin: true,
  cookie: "none",
  isSecure: true,
  wantsPrivacy: false,
};

/** Log-ins that end in one way, and what is told of them. */
function watched(parts: { readonly [Name in keyof LogIns]?: () => unknown }) {
  const told: string[] = [];
  const never = () => assert.fail("nobody asks");
  const logIns = {
    logIn: { withPassword: async () => (parts.logIn ?? never)() },
    autoLogIn: { withCookie: async () => (parts.autoLogIn ?? never)() },
  } as LogIns;
  return { told, ...watchLogIns(logIns, (by, end) => told.push(`${by} ${end}`)) };
}

for (const kind of ["in", "refused", "network-held", "forbidden"]) {
  test(`a log-in that ends as ${kind} is told as that, and its outcome is passed on`, async () => {
    const { told, logIn } = watched({ logIn: () => ({ kind }) });
    const given = { userName: "somebody", password: "secret" };
    assert.deepEqual(await logIn.withPassword(given, visitor), { kind });
    assert.deepEqual(told, [`password ${kind}`]);
  });
}

test("an automatic log-in is told apart", async () => {
  const { told, autoLogIn } = watched({ autoLogIn: () => ({ kind: "not" }) });
  await autoLogIn.withCookie({ formId: 1n, instanceId: 1n }, visitor);
  assert.deepEqual(told, ["cookie not"]);
});

const errors: readonly (readonly [end: string, cause: Error])[] = [
  ["busy", new TooManyLogInsError()],
  ["unavailable", new LogInUnavailableError(new Error("the database is gone"))],
  ["failed", new Error("a bug")],
];
for (const [end, cause] of errors) {
  test(`a log-in that cannot be decided is told as ${end}, and its error is passed on`, async () => {
    const { told, logIn } = watched({
      logIn: () => {
        throw cause;
      },
    });
    const given = { userName: null, password: null };
    await assert.rejects(logIn.withPassword(given, visitor), cause);
    assert.deepEqual(told, [`password ${end}`]);
  });
}
