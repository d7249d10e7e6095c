import assert from "node:assert/strict";
import { test } from "node:test";
import { readTarget } from "./call-target.ts";

test("readTarget() resolves the escapes of no segment that does not count", (t) => {
  const decode = t.mock.method(TextDecoder.prototype, "decode");
  const path = `${"/%2e/%2E/./".repeat(700)}api/%53.svc/Op`;
  assert.deepEqual(readTarget(path, "/api/S.svc"), { at: "operation", operation: "Op" });
  assert.equal(decode.mock.callCount(), 1);
});
