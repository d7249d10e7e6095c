import type { BindingName } from "../../contract/bindings.ts";
import type { Operation, Part, ScalarName, Shape } from "../../contract/operation.ts";

/** What a table says of one part of a message. */
export interface PartRow {
  readonly name: string;
  readonly type: string;
  /** Whether it is always there, for people. */
  readonly need: string;
  readonly note: string;
}

/** What a person has to know to write or read a value of each type. */
const formats: Readonly<Record<ScalarName, string>> = {
  string: "",
  int: "Whole number, 32 bits.",
  long: "Whole number, 64 bits: JavaScript must not read it as a number.",
  boolean: "true or false.",
  dateTime: "ISO 8601, such as 2026-01-31T12:00:00Z.",
};

/** The parts of a request, in wire order. */
export function describeParameters({ input }: Operation): readonly PartRow[] {
  return Object.entries(input).map(([name, part]) => describePart(name, part, ["Yes", "No"]));
}

/** Names of the bindings for people. */
type Titles = ReadonlyMap<BindingName, string>;

/**
 * The parts of an answer; those within others by the names on the way to them, with dots between.
 *
 * @param titles of the bindings that the answer is sent over.
 */
export function describeResponse({ parts }: Shape, titles: Titles, above = ""): readonly PartRow[] {
  return Object.entries(parts).flatMap(([name, part]) => {
    const { type, nilOver = [] } = part;
    const bindings = nilOver.flatMap((binding) => titles.get(binding) ?? []);
    const row = describePart(above + name, part, ["Always", "If known"]);
    const note =
      bindings.length > 0 ? `${row.note} Always nil over ${bindings.join(" and ")}.` : row.note;
    const own = { ...row, note: note.trim() };
    return typeof type === "string"
      ? [own]
      : [own, ...describeResponse(type, titles, `${above}${name}.`)];
  });
}

function describePart(
  name: string,
  { type, optional, nillable }: Part,
  [always, maybe]: readonly [string, string],
): PartRow {
  const notes = [
    typeof type === "string" ? formats[type] : "",
    nillable === true ? "May be nil." : "",
  ];
  return {
    name,
    type: typeof type === "string" ? type : type.name,
    need: optional === true ? maybe : always,
    note: notes.filter(Boolean).join(" "),
  };
}
