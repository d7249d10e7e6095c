import assert from "node:assert/strict";
import { test } from "node:test";
import { withExample } from "./operation.ts";

const Weigh = {
  summary: "Weighs a parcel.",
  input: { parcelId: { type: "long" }, note: { type: "string", optional: true } },
  result: { name: "Weight", parts: { Grams: { type: "int" } } },
} as const;

test("withExample() leaves the operation as it is and puts the example beside it", () => {
  const example = { input: { parcelId: 7n, note: null }, result: { Grams: 120 } };
  assert.deepEqual(withExample(Weigh, example), { ...Weigh, example });
});

test("an example that does not fit its operation does not compile", () => {
  const result = { Grams: 120 };
  const input = { parcelId: 7n, note: null };
  const { result: _none, ...Forget } = Weigh;
  const wrong = [
    // @ts-expect-error: a long is a bigint
    withExample(Weigh, { input: { parcelId: 7, note: null }, result }),
    // @ts-expect-error: a part that is not sent is null, never forgotten
    withExample(Weigh, { input: { parcelId: 7n }, result }),
    // @ts-expect-error: a part that must be sent is never null
    withExample(Weigh, { input: { parcelId: null, note: null }, result }),
    // @ts-expect-error: the operation knows no such part
    withExample(Weigh, { input: { ...input, colour: "red" }, result }),
    // @ts-expect-error: the result is not left out
    withExample(Weigh, { input }),
    // @ts-expect-error: the result has other members
    withExample(Weigh, { input, result: { Pounds: 1 } }),
    // @ts-expect-error: a void operation has no result
    withExample(Forget, { input, result }),
  ];
  assert.equal(wrong.length, 7);
});
