import type { Cell, Cells, TableColumns } from "../../../rows/columns.ts";
import { CommandError } from "../../exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { parseOrigin } from "../../io/origin.ts";
import { toPrintable } from "../../io/printable.ts";
import { type FormChange, rememberings, sameSites } from "./form.ts";

/** Columns of a file of forms; the first name of each is that of an export. */
const names = {
  id: ["id", "formId", "form"],
  name: ["name", "formName"],
  instanceId: ["applicationInstanceId", "instanceId", "instance"],
  remembering: ["remembering", "remember", "remembers"],
  sameSite: ["sameSite"],
  allowsAutoLogIn: ["allowsAutoLogIn", "autoLogIn"],
  origins: ["origins", "origin"],
} as const;

/** Meaning of a column of a file of forms. */
export type FormField = keyof typeof names;

/** The columns of a file of forms. */
export const formColumns: TableColumns<FormField> = {
  names,
  required: ["id", "name", "instanceId", "origins"],
  others: "ignore",
};

/** A form in a row of a file. */
export interface FormRow extends FormChange {
  readonly line: number;
}

/**
 * Reads a row of a file of forms.
 *
 * @throws {CommandError} saying which cell is wrong and what is allowed.
 */
export function readFormRow(line: number, cells: Cells<FormField>): FormRow {
  const name = toText("name", cells.name);
  requireName("The name of the form", name);
  const flag = readChoice("allowsAutoLogIn", cells.allowsAutoLogIn, flags);
  return {
    line,
    id: parseId("id", toText("id", cells.id)),
    name,
    instanceId: parseId("applicationInstanceId", toText("applicationInstanceId", cells.instanceId)),
    origins: readOrigins(cells.origins),
    remembering: readChoice("remembering", cells.remembering, rememberings),
    sameSite: readChoice("sameSite", cells.sameSite, sameSites),
    allowsAutoLogIn: flag && ["true", "yes", "1"].includes(flag),
  };
}

const flags = ["true", "yes", "1", "false", "no", "0"] as const;

function toText(name: string, cell: Cell = ""): string {
  if (typeof cell === "string") return cell.trim();
  throw new CommandError(`${name} is neither a text nor a number`);
}

/** A list, or a text in which blanks separate the origins. */
function readOrigins(cell: Cell = ""): readonly string[] {
  if (cell === null) throw new CommandError("origins is neither a text nor a list of texts");
  const texts = typeof cell === "string" ? cell.split(/\s+/) : cell;
  const origins = texts.filter((text) => text !== "").map((text) => parseOrigin(text, "origins"));
  if (origins.length > 0) return [...new Set(origins)].sort();
  throw new CommandError("origins is empty: name the origins of the form's pages");
}

function readChoice<Choice extends string>(
  name: string,
  cell: Cell | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const text = toText(name, cell);
  const choice = choices.find((one) => one === text.toLowerCase());
  if (choice !== undefined || text === "") return choice;
  throw new CommandError(`${name} ${toPrintable(text)}: allowed is ${choices.join(", ")}`);
}
