import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openTracing } from "./tracing.ts";

const registry = Symbol.for("opentelemetry.js.api.1");
let lines: string[] = [];
const log = {
  info: (line: unknown) => void lines.push(`info ${line}`),
  warn: (line: unknown) => void lines.push(`warn ${line}`),
};

beforeEach(() => {
  lines = [];
});
afterEach(() => Reflect.deleteProperty(globalThis, registry));

test("without an SDK there is no tracing, and nothing to say about it", async () => {
  assert.equal(await openTracing({ databaseUrl: "sqlite:a.db" }, log), undefined);
  assert.deepEqual(lines, []);
});

for (const [what, registered] of [
  ["an older version of the API", { version: "1.0.0", trace: {} }],
  ["no tracer provider, as an SDK of metrics alone does", { version: "1.9.1" }],
] as const) {
  test(`an SDK that has registered ${what} gets a warning instead of spans`, async () => {
    Reflect.set(globalThis, registry, registered);
    assert.equal(await openTracing({ databaseUrl: "sqlite:a.db" }, log), undefined);
    assert.match(lines.join(), /^warn OpenTelemetry is loaded but .* register a tracer provider/);
  });
}
