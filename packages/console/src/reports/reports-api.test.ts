import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "@wfh/server/fault.ts";
import type { RequestContext } from "@wfh/server/server/http/app.ts";
import { StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { Reports } from "./reports.ts";
import { createReportsApi } from "./reports-api.ts";

/** Asks for the days over a database that does not respond as it should. */
async function ask(open: () => Promise<never>, isLate: boolean) {
  const after = (_ms: number, run: () => void) => {
    if (isLate) queueMicrotask(run);
    return () => {};
  };
  const api = createReportsApi({
    reports: new Reports({ open, now: () => 0, after }),
    access: {
      findToken: async () => ({ name: "grafana", forms: null }),
      checkForm: async () => {},
      record: async () => {},
    },
    now: () => 0,
  });
  let retryAfterS: number | undefined;
  const context = {
    request: {},
    retryAfter: (seconds: number) => {
      retryAfterS = seconds;
    },
  } as RequestContext;
  const input = { from: null, to: null, form: null, format: null };
  const respond = api.get("countByDay") ?? assert.fail();
  const fault = await Promise.resolve(respond(input, context)).catch((cause) => cause);
  assert.ok(fault instanceof Fault);
  return { code: fault.code, message: fault.message, retryAfterS };
}

test("a database that is away is a fault that says so, without its address", async () => {
  const open = () => Promise.reject(new StoreUnavailableError("postgres://secret is away"));
  const { code, message } = await ask(open, false);
  assert.equal(code, "unavailable");
  assert.equal(message, "The database of the reports does not respond.");
});

test("a report that is late says so, and when to try again", async () => {
  const counting = new Promise<never>(() => {});
  const queries = { rollUp: { findEnd: () => counting }, reports: {} };
  const { code, message, retryAfterS } = await ask(async () => ({ queries }) as never, true);
  assert.deepEqual([code, retryAfterS], ["busy", 60]);
  assert.match(message, /^Reports are being counted\. Try again in a minute\.$/);
});
