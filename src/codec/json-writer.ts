import type { BindingName } from "../contract/bindings.ts";
import type { DateTime, Part, ScalarName, Shape, ShapeValue } from "../contract/operation.ts";

/** Writes a value of JSON. */
type WriteValue = (value: unknown) => string;

/**
 * Compiles the writer of a shape as a JSON object with its members in wire order; absent and nil
 * members are null, longs are numbers with all their digits.
 */
export function compileJsonObject<Of extends Shape>(
  shape: Of,
  binding: BindingName,
): (value: ShapeValue<Of>) => string {
  const members = Object.entries(shape.parts).map(([name, part]) => ({
    name,
    start: `${JSON.stringify(name)}:`,
    write: writerOf(part, binding),
  }));
  return (value) => {
    const values: Readonly<Record<string, unknown>> = value;
    return `{${members.map(({ name, start, write }) => start + write(values[name])).join(",")}}`;
  };
}

function writerOf({ type, nilOver }: Part, binding: BindingName): WriteValue {
  if (nilOver?.includes(binding)) return () => "null";
  const write = typeof type === "string" ? scalarWriters[type] : compileJsonObject(type, binding);
  return (value) => (value === null || value === undefined ? "null" : write(value as never));
}

const scalarWriters: Readonly<Record<ScalarName, WriteValue>> = {
  string: (value) => JSON.stringify(String(value).toWellFormed()),
  int: String,
  long: String,
  boolean: String,
  dateTime: (value) => JSON.stringify((value as DateTime).text),
};
