import type { Form, Remembering, SameSite } from "../../../domain/log-in/form.ts";
import type { Columns } from "../../columns.ts";
import { createColumns } from "../../columns.ts";
import { CommandError } from "../../exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import { parseOrigin } from "../../origin.ts";
import type { Cell, FileRow } from "../../row-file.ts";

/** What columns of a file of forms may be called; the first are those of an export. */
const formColumns = {
  id: ["id", "formid", "form"],
  name: ["name", "formname"],
  instanceId: ["applicationinstanceid", "instanceid", "instance"],
  remembering: ["remembering", "remember", "remembers"],
  sameSite: ["samesite"],
  allowsAutoLogIn: ["allowsautologin", "autologin"],
  origins: ["origins", "origin"],
} as const;

/** What a column of a file of forms means. */
export type FormField = keyof typeof formColumns;

/** Fields that a file of forms cannot do without, with the name of a column for each. */
export const requiredFormFields: readonly {
  readonly field: FormField;
  readonly column: string;
}[] = [
  { field: "id", column: "id" },
  { field: "name", column: "name" },
  { field: "instanceId", column: "applicationInstanceId" },
  { field: "origins", column: "origins" },
];

const rememberings: readonly Remembering[] = ["off", "session", "persistent"];
const sameSites: readonly SameSite[] = ["lax", "strict", "none"];
const flags = { true: true, yes: true, "1": true, false: false, no: false, "0": false } as const;

/** A form as a row has it; what the row does not say is undefined. */
export interface FormRow extends Pick<Form, "id" | "name" | "origins"> {
  readonly line: number;
  readonly instanceId: bigint;
  readonly remembering: Remembering | undefined;
  readonly sameSite: SameSite | undefined;
  readonly allowsAutoLogIn: boolean | undefined;
}

/** Reads the columns of one file of forms. */
export function createFormColumns(): Columns<FormField> {
  return createColumns<FormField>(formColumns);
}

/**
 * Reads a row of a file of forms.
 *
 * @throws {CommandError} saying which cell is wrong and what is allowed.
 */
export function readFormRow(row: FileRow, columns: Columns<FormField>): FormRow {
  const cells = columns.pick(row);
  const name = toText("name", cells.name);
  requireName("The name of the form", name);
  return {
    line: row.line,
    id: parseId("id", toText("id", cells.id)),
    name,
    instanceId: parseId("applicationInstanceId", toText("applicationInstanceId", cells.instanceId)),
    origins: readOrigins(cells.origins),
    remembering: readChoice("remembering", cells.remembering, rememberings),
    sameSite: readChoice("sameSite", cells.sameSite, sameSites),
    allowsAutoLogIn: readFlag(cells.allowsAutoLogIn),
  };
}

function toText(name: string, cell: Cell = ""): string {
  if (typeof cell === "string") return cell.trim();
  throw new CommandError(`${name} is neither a text nor a number`);
}

/** A list, or a text with blanks between them, which no origin has. */
function readOrigins(cell: Cell = ""): readonly string[] {
  if (cell === null) throw new CommandError("origins is neither a text nor a list of texts");
  const texts = typeof cell === "string" ? cell.split(/\s+/) : cell;
  const origins = texts.filter((text) => text !== "").map(readOrigin);
  if (origins.length > 0) return [...new Set(origins)].sort();
  throw new CommandError("origins is empty: name where the pages of the form come from");
}

function readOrigin(text: string): string {
  try {
    return parseOrigin(text);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new CommandError(cause.message.replace("--origin", "origins"), cause.exitCode, cause);
  }
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

function readFlag(cell: Cell | undefined): boolean | undefined {
  const choice = readChoice(
    "allowsAutoLogIn",
    cell,
    Object.keys(flags) as readonly (keyof typeof flags)[],
  );
  return choice === undefined ? undefined : flags[choice];
}
