import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWorker } from "../../../cluster/messages.ts";
import type { Readiness } from "../../../domain/page-requests/readiness.ts";
import { tellReadiness } from "./supervise.ts";

test("tellReadiness() tells workers that started before the database was there, and then each change once", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const told: ToWorker[] = [];
  // The database came while the workers started, so it is there from the first look on.
  let readiness: Readiness = "ready";
  const callOff = tellReadiness(
    { tell: (message) => told.push(message) },
    { readiness: () => readiness },
  );
  t.mock.timers.tick(1_000);
  assert.deepEqual(told.splice(0), [{ kind: "ready", readiness: "ready" }]);
  readiness = "database";
  t.mock.timers.tick(1_000);
  assert.deepEqual(told.splice(0), [{ kind: "ready", readiness: "database" }]);
  callOff();
  readiness = "ready";
  t.mock.timers.tick(1_000);
  assert.deepEqual(told, []);
});
