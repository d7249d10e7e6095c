import {
  type ListedOperator,
  type OperatorRole,
  operatorRoles,
} from "@wfh/console/access/operator.ts";
import { toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, unknownName } from "../../io/exit-codes.ts";
import { describeForms, formatInstant, parseIds } from "../../io/options.ts";
import { printRecords } from "../../io/report.ts";
import { findAttemptKeys, warnWithoutKey } from "../accounts/access.ts";
import { parseUserName, passwordHelp, readNewHash } from "../accounts/add-and-passwd.ts";

const help = `
Examples:
  wfh operators add ada                     ask for a password and add an operator
  wfh operators add bob --role viewer --forms 7,12
                                            add a person who only reads, and only these forms
  wfh operators add eve --no-password       add a person whom only an authenticating proxy logs in
  wfh operators list                        list operators with their last log-in
  wfh operators passwd ada                  set a new password and end all sessions
  wfh operators remove ada                  remove an operator; sessions end within a second

Operators are not accounts: visitors of forms cannot log in at /operator, and operators not at a
form. A viewer reads; an operator also disables and enables accounts and ends their sessions.
`;

interface PasswordOptions {
  /** Accepts a short or common password. */
  readonly allowWeak?: boolean;
}

interface AddOptions extends PasswordOptions {
  readonly role: OperatorRole;
  readonly forms?: readonly string[];
  /** False where only an authenticating proxy logs in. */
  readonly password: boolean;
}

/** `wfh operators`. */
export const declareCommand: DeclareCommand = (operators) => {
  operators.addHelpText("after", help);
  const nameHelp = "name, case-insensitive; as the authenticating proxy sends it";
  const roleHelp = "viewer reads, operator also changes accounts";
  const add = operators
    .command("add")
    .description("Add an operator")
    .argument("<name>", nameHelp, parseUserName)
    .choice("--role <role>", roleHelp, operatorRoles, "operator")
    .value("--forms <ids>", "forms that the operator may see (default: all)", parseIds)
    .option("--no-password", "only an authenticating proxy logs the operator in");
  addPasswordOptions(add).run(administer(addOperator, "existing or new"));
  operators
    .command("list")
    .description("List operators with their rights, last log-in and sessions")
    .jsonPer("operator")
    .shared("config")
    .run(administer(list));
  const passwd = operators
    .command("passwd")
    .description("Set a password, end all sessions of the operator and reset failed attempts")
    .argument("<name>", "name of the operator");
  addPasswordOptions(passwd).run(administer(setPassword));
  operators
    .command("remove")
    .description("Remove an operator and end all sessions within a second")
    .argument("<name>", "name of the operator")
    .shared("config")
    .run(administer(remove));
};

async function addOperator(
  { database, terminal }: AdminContext,
  name: string,
  options: AddOptions,
): Promise<void> {
  const { role, forms = null } = options;
  const taken = await database.operators.find(name);
  if (taken !== null) {
    throw new CommandError(
      `Operator ${toPrintable(taken.name)} already exists.\nChoose another name, or set the password: wfh operators passwd ${toShellWord(taken.name)}`,
    );
  }
  const hash = options.password ? await readNewHash(name, options, terminal) : null;
  await database.operators.add({ name, role, forms, hash }, Date.now());
  terminal.out(`Added ${toPrintable(name)}, ${role} of ${describeForms(forms)}.\n`);
}

async function setPassword(context: AdminContext, name: string, options: PasswordOptions) {
  const { database, terminal } = context;
  const operator = await requireOperator(context, name);
  const hash = await readNewHash(operator.name, options, terminal);
  const keys = findAttemptKeys(operator.name, context, "operator");
  await database.operators.setPassword(operator, hash, keys ?? [], Date.now());
  terminal.out(`Set the password of ${toPrintable(operator.name)}; all sessions ended.\n`);
  if (keys === null) warnWithoutKey(context);
}

function addPasswordOptions(command: Command): Command {
  return command
    .option("--allow-weak", "accept a short or easily guessed password")
    .shared("config")
    .addHelpText("after", passwordHelp);
}

/**
 * Finds the operator that a command names.
 *
 * @throws {CommandError} with the exit code `no` when it does not exist.
 */
async function requireOperator({ database }: AdminContext, name: string) {
  const operator = await database.operators.find(name);
  if (operator !== null) return operator;
  throw unknownName("operator", name);
}

async function list({ database, terminal }: AdminContext, options: SharedOptions): Promise<void> {
  const operators = await database.operators.list(Date.now());
  printRecords(terminal, options, operators.map(toRecord), {
    none: "There are no operators yet, so no log-in at /operator is possible. Add one: wfh operators add <name>",
    columns: [
      ["Name", ({ name }) => name],
      ["Role", ({ role }) => role],
      ["Forms", ({ forms }) => forms?.join(", ") ?? "all"],
      ["Password", ({ hasPassword }) => (hasPassword ? "yes" : "no, by proxy only")],
      ["Added", ({ createdAt }) => createdAt],
      ["Last log-in", ({ lastLogInAt }) => lastLogInAt ?? "never"],
      ["Sessions", ({ sessions }) => sessions],
    ],
  });
}

function toRecord(operator: ListedOperator) {
  const { name, role, forms, isPasswordSet, createdAtMs, lastLogInAtMs, sessions } = operator;
  return {
    name,
    role,
    forms,
    hasPassword: isPasswordSet,
    createdAt: formatInstant(createdAtMs),
    lastLogInAt: lastLogInAtMs === null ? null : formatInstant(lastLogInAtMs),
    sessions,
  };
}

async function remove(context: AdminContext, name: string): Promise<void> {
  const { database, terminal } = context;
  const operator = await requireOperator(context, name);
  const keys = findAttemptKeys(operator.name, context, "operator") ?? [];
  await database.operators.remove(operator, keys, Date.now());
  terminal.out(`Removed ${toPrintable(operator.name)}; all sessions ended.\n`);
}
