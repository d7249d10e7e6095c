import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scalar } from "@wfh/server/codec/scalars.ts";
import { type BindingName, bindings as facts } from "@wfh/server/contract/bindings.ts";
import type { Operation, Shape } from "@wfh/server/contract/operation.ts";
import { Fault, faultCodes } from "@wfh/server/fault.ts";
import fc from "fast-check";
import { bindingOf, endpoint, location, type Target } from "../harness/declared-responses.ts";
import { findElement, isNil, readStrictly } from "../harness/strict-xml.ts";
import { createRandom } from "./byte-changes.ts";
import { propertyRuns } from "./effort.ts";
import { mutate } from "./mutation.ts";
import { listOriginals } from "./originals.ts";
import { readShape, requestOf, xmlManners } from "./plain-client.ts";
import { requestValues, resultValues, type Values } from "./random-values.ts";

const numRuns = propertyRuns;

/** A value as text, as both sides can be compared whatever the wire makes of its type. */
function asText(value: unknown): unknown {
  if (value === null) return null;
  if (typeof value === "object" && !("text" in value)) return textsOf(value as Values);
  const scalar = value as Scalar;
  return typeof scalar === "object" ? scalar.text : String(scalar);
}

function textsOf(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));
}

/** A result without what a binding sends as nil whatever it is. */
function asSent({ parts }: Shape, values: Values, binding: BindingName): Values {
  const sent = Object.entries(parts).map(([name, { type, nilOver }]) => {
    const value = values[name] ?? null;
    if (value === null || nilOver?.includes(binding)) return [name, null];
    return [name, typeof type === "string" ? value : asSent(type, value as Values, binding)];
  });
  return Object.fromEntries(sent);
}

/** Numbers of JSON as they stand there: a double would lose digits. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? (context?.source ?? "") : value,
  );
}

/** Values that a client finds in a response; null for no result. */
function resultIn(body: string, name: string, shape: Shape, binding: BindingName): Values | null {
  if (binding === "json") {
    const { d } = parseExactly(body) as { d: Values | null };
    return d === null ? null : textsOf(d);
  }
  const root = readStrictly(body);
  const isRoot = facts[binding].resultAs === "root-element";
  const element = isRoot ? root : findElement(root, `${name}Result`);
  return element === undefined || isNil(element) ? null : readShape(element, shape);
}

function describeOperation(
  target: Target,
  binding: BindingName,
  name: string,
  operation: Operation,
) {
  const { service } = target;
  const { at } = facts[binding];
  const { decode, encode } = bindingOf(target, binding);
  const title = `${service.contract.name}, ${binding}, ${name}`;
  const callTarget = at === "service" ? ({ at } as const) : ({ at, operation: name } as const);

  test(`${title}: any call is read as the client wrote it`, () => {
    const manners = fc.constantFrom(...xmlManners);
    fc.assert(
      fc.property(requestValues(operation.input, binding), manners, (input, manner) => {
        const request = requestOf({ target, name, operation, input, manner }, binding);
        const call = decode(request, callTarget);
        assert.deepEqual([call.operation, call.responseForm.binding], [name, binding]);
        assert.deepEqual({ ...call.input }, input);
      }),
      { numRuns },
    );
  });

  const { result: shape } = operation;
  const call = { operation: name, input: {}, responseForm: { binding } };
  test(`${title}: any result is read by the client as it was`, () => {
    if (shape === undefined) {
      assert.equal(encode(call, undefined).status, 200);
      return;
    }
    const results = fc.option(resultValues(shape, binding), { nil: null, freq: 20 });
    fc.assert(
      fc.property(results, (result) => {
        const { body } = encode(call, result);
        const expected = result === null ? null : textsOf(asSent(shape, result, binding));
        assert.deepEqual(resultIn(body, name, shape, binding), expected);
      }),
      { numRuns },
    );
  });
}

for (const target of [location, endpoint]) {
  const { bindings, operations } = target.service.contract;
  for (const binding of bindings) {
    for (const [name, operation] of Object.entries(operations)) {
      describeOperation(target, binding, name, operation);
    }
  }
}

const originals = listOriginals();
/** Codes that a request can be refused with; `receiver` would be a bug of ours. */
const refusals: readonly string[] = faultCodes.filter((code) => code !== "receiver");

for (const target of [location, endpoint]) {
  for (const name of target.service.contract.bindings) {
    test(`${target.service.contract.name}, ${name}: whatever body and target are, there is a call or a fault of the caller`, () => {
      const { decode } = bindingOf(target, name);
      const operations = Object.keys(target.service.contract.operations);
      const whole = requestOf(
        {
          target,
          name: "",
          operation: { summary: "", input: {} },
          input: {},
          manner: "references",
        },
        name,
      );
      fc.assert(
        fc.property(
          fc.nat(),
          fc.constantFrom(...operations, "__proto__", "", "\ud800"),
          (seed, operation) => {
            const { bytes, original } = mutate(originals, createRandom(seed, 0));
            const body = bytes.subarray(bytes.indexOf("\r\n\r\n") + 4);
            const query = bytes.toString("latin1", 0, 2_000);
            const headers = original.fields.flatMap((field) => field.split(": "));
            try {
              decode({ ...whole, headers, body, query }, { at: "operation", operation });
            } catch (reason) {
              assert.ok(reason instanceof Fault && refusals.includes(reason.code), String(reason));
            }
          },
        ),
        { numRuns: 4 * numRuns },
      );
    });
  }
}
