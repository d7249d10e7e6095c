import type { BindingName } from "../../contract/bindings.ts";
import type { DateTime, Part, ScalarName, Shape, ShapeValue } from "../../contract/operation.ts";
import { cacheTexts } from "../text.ts";

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
  const members = Object.entries(shape.parts).map(([name, part], i) => ({
    name,
    start: `${i === 0 ? "" : ","}${JSON.stringify(name)}:`,
    write: writerOf(part, binding),
  }));
  return (value) => {
    const values: Readonly<Record<string, unknown>> = value;
    let content = "";
    for (const { name, start, write } of members) content += start + write(values[name]);
    return `{${content}}`;
  };
}

function writerOf({ type, nilOver }: Part, binding: BindingName): WriteValue {
  if (nilOver?.includes(binding)) return () => "null";
  const write =
    typeof type === "string"
      ? scalarWriters[type]
      : cacheTexts(compileJsonObject(type, binding) as WriteValue);
  return (value) => (value === null || value === undefined ? "null" : write(value));
}

/** Text that needs no escape in JSON: ASCII without controls, quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/;

function writeText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text.toWellFormed());
}

const scalarWriters: Readonly<Record<ScalarName, WriteValue>> = {
  string: (value) => writeText(String(value)),
  int: String,
  long: String,
  boolean: String,
  dateTime: (value) => writeText((value as DateTime).text),
};
