import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationInstance } from "../form.ts";
import { policyOf } from "./cookie-policy.ts";

test("the strictest policy of several instances holds, and one that remembers nothing says nothing", () => {
  const off: ApplicationInstance = { id: 1n, remembering: "off", sameSite: "strict" };
  const none: ApplicationInstance = { id: 2n, remembering: "persistent", sameSite: "none" };
  const lax: ApplicationInstance = { id: 3n, remembering: "session", sameSite: "lax" };
  assert.equal(policyOf([]), undefined);
  assert.equal(policyOf([off]), undefined);
  assert.deepEqual(policyOf([off, none]), { remembering: "persistent", sameSite: "none" });
  assert.deepEqual(policyOf([none, lax]), { remembering: "session", sameSite: "lax" });
  assert.deepEqual(policyOf([lax, none]), { remembering: "session", sameSite: "lax" });
});
