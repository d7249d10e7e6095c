import type { BindingName } from "../../contract/bindings.ts";
import type { DateTime, Part, ScalarName, Shape, ShapeValue } from "../../contract/operation.ts";
import { cacheTexts } from "../text.ts";

type WriteValue = (value: unknown) => string;

/** Differences between places where JSON is written. */
export interface JsonForm {
  /** The binding, where the contract has parts that are nil over some. */
  readonly binding?: BindingName;
  /** Writes longs as strings, since readers of JSON round numbers beyond 2^53. */
  readonly longsAsText?: boolean;
}

/** Compiles a shape's writer of a JSON object: members in wire order, absent and nil ones null. */
export function compileJsonObject<Of extends Shape>(
  shape: Of,
  form: JsonForm,
): (value: ShapeValue<Of>) => string {
  const members = Object.entries(shape.parts).map(([name, part], i) => ({
    name,
    start: `${i === 0 ? "" : ","}${JSON.stringify(name)}:`,
    write: writerOf(part, form),
  }));
  return (value) => {
    const values: Readonly<Record<string, unknown>> = value;
    let content = "";
    for (const { name, start, write } of members) content += start + write(values[name]);
    return `{${content}}`;
  };
}

function writerOf(part: Part, form: JsonForm): WriteValue {
  const { type, nilOver, list } = part;
  if (form.binding !== undefined && nilOver?.includes(form.binding)) return () => "null";
  const write =
    typeof type === "string" ? scalarWriter(type, form) : objectWriter(type, part, form);
  const writeOrNull = (value: unknown) =>
    value === null || value === undefined ? "null" : write(value);
  if (!list) return writeOrNull;
  return (value) => `[${(value as readonly unknown[]).map(writeOrNull).join(",")}]`;
}

function scalarWriter(type: ScalarName, { longsAsText }: JsonForm): WriteValue {
  return type === "long" && longsAsText ? (value) => `"${value}"` : scalarWriters[type];
}

/** Items of lists, and coordinates, are mostly made for one result; what else they hold is not. */
function objectWriter(shape: Shape, { list }: Part, form: JsonForm): WriteValue {
  const write = compileJsonObject(shape, form) as WriteValue;
  const isNumbers = Object.values(shape.parts).every(({ type }) => type === "double");
  return list || isNumbers ? write : cacheTexts(write);
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
  double: String,
  boolean: String,
  dateTime: (value) => writeText((value as DateTime).text),
};
