import { parseDateTime } from "@wfh/server/codec/date-time.ts";
import type { Scalar } from "@wfh/server/codec/scalars.ts";
import type { BindingName } from "@wfh/server/contract/bindings.ts";
import type { Part, ScalarName, Shape } from "@wfh/server/contract/operation.ts";
import fc from "fast-check";

/** Values of parts by their names; null where one is absent or nil. */
export type Values = Readonly<Record<string, unknown>>;

/** Any text that XML can hold (XML 1.0 §2.2). */
const xmlText = fc
  .string({ unit: "binary", maxLength: 40 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold control characters
  .map((text) => text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ""));

/** Any text at all, halves of surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
);

/** Strings that a binding can carry. */
function textsOf(binding: BindingName): fc.Arbitrary<string> {
  if (binding === "json") return anyText;
  return binding === "http-get" || binding === "http-post"
    ? anyText.map((text) => text.toWellFormed())
    : xmlText;
}

/** Strings that a response over a binding can carry: those of forms are XML too. */
function responseTextsOf(binding: BindingName): fc.Arbitrary<string> {
  return binding === "json" ? anyText.map((text) => text.toWellFormed()) : xmlText;
}

const dates = fc
  .date({
    min: new Date("0001-01-02T00:00:00.000Z"),
    max: new Date("9999-12-30T23:59:59.999Z"),
    noInvalidDate: true,
  })
  .chain((date) =>
    fc
      .constantFrom("Z", "", "+14:00", "-00:30")
      .map((zone) => parseDateTime(date.toISOString().replace("Z", zone))),
  );

function scalarsOf(type: ScalarName, texts: fc.Arbitrary<string>): fc.Arbitrary<Scalar> {
  switch (type) {
    case "string":
      return texts;
    case "int":
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case "long":
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case "double":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "dateTime":
      return dates;
  }
}

function valuesOf(parts: Shape["parts"], texts: fc.Arbitrary<string>): fc.Arbitrary<Values> {
  const arbitraries = Object.entries(parts).map(([name, part]) => [name, partValue(part, texts)]);
  return fc.record(Object.fromEntries(arbitraries), { noNullPrototype: true });
}

function partValue({ type, optional, nillable }: Part, texts: fc.Arbitrary<string>) {
  const value: fc.Arbitrary<unknown> =
    typeof type === "string" ? scalarsOf(type, texts) : valuesOf(type.parts, texts);
  return optional || nillable ? fc.option(value, { nil: null }) : value;
}

/** Any values of a request's parts that a binding can carry. */
export function requestValues(parts: Shape["parts"], binding: BindingName): fc.Arbitrary<Values> {
  return valuesOf(parts, textsOf(binding));
}

/** Any result of an operation that a binding can carry. */
export function resultValues({ parts }: Shape, binding: BindingName): fc.Arbitrary<Values> {
  return valuesOf(parts, responseTextsOf(binding));
}
