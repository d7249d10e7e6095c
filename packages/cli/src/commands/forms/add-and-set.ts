import type { Form, Remembering, SameSite } from "@wfh/server/domain/log-in/form.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import { type Command, type DeclareCommand, valueOption } from "../../io/command.ts";
import { CommandError, exitCodes, unknownName } from "../../io/exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { parseOrigin } from "../../io/origin.ts";
import {
  adviseOnForm,
  applyChanges,
  type FormChange,
  printForms,
  rememberings,
  sameSites,
} from "./form.ts";

/** Options of forms set; undefined members stay as they are. */
interface SetOptions {
  readonly name?: string;
  readonly instance?: bigint;
  readonly origin?: readonly string[];
  readonly remember?: Remembering;
  readonly sameSite?: SameSite;
  readonly autoLogIn?: boolean;
}

type AddOptions = SetOptions & Required<Pick<SetOptions, "name" | "instance" | "origin">>;

/** `wfh forms add`. */
export const declareAddForm: DeclareCommand = (group) => {
  const instance = valueOption("--instance <id>", "ID of the form's application instance", parseId);
  const origins = "origins of its pages, for example https://www.example.org";
  const command = group
    .command("add")
    .description("Add a form")
    .argument("<id>", "form ID, as sent by its pages", parseFormId)
    .requiredOption("--name <text>", "name shown in lists", parseName)
    .addOption(instance.makeOptionMandatory())
    .requiredOption("--origin <origin...>", origins, collectOrigin);
  addPolicyOptions(command).run(administer(add, "existing or new"));
};

async function add(context: AdminContext, id: bigint, options: AddOptions): Promise<void> {
  const before = await context.administration.listForms();
  if (before.some((form) => form.id === id)) {
    throw new CommandError(
      `Form ${id} already exists.\nChange it with wfh forms set ${id}, or remove it first: wfh forms remove ${id}`,
    );
  }
  const { name, instance: instanceId, origin } = options;
  const change = { id, name, instanceId, origins: origin, ...readPolicy(options) };
  await save(change, before, context);
}

/** `wfh forms set`. */
export const declareSet: DeclareCommand = (group) => {
  const origins = "origins of its pages, replacing the current ones";
  const command = group
    .command("set")
    .description("Change a form; omitted options stay as they are")
    .argument("<id>", "form ID", parseFormId)
    .option("--name <text>", "name shown in lists", parseName)
    .id("--instance <id>", "ID of the form's application instance")
    .option("--origin <origin...>", origins, collectOrigin);
  addPolicyOptions(command).run((id: bigint, options: SetOptions, own: Command) => {
    if (Object.keys(options).some((name) => name !== "config")) {
      return administer(change)(id, options, own);
    }
    throw new CommandError(
      "No change given. See the options: wfh forms set --help",
      exitCodes.usage,
    );
  });
};

async function change(context: AdminContext, id: bigint, options: SetOptions): Promise<void> {
  const before = await context.administration.listForms();
  const old = before.find((form) => form.id === id);
  if (old === undefined) throw unknownName("form", String(id));
  const { name = old.name, instance: instanceId = old.instance.id, origin } = options;
  const policy = readPolicy(options);
  // A new instance begins with the policy of the one that the form leaves.
  if (!before.some(({ instance }) => instance.id === instanceId)) {
    policy.remembering ??= old.instance.remembering;
    policy.sameSite ??= old.instance.sameSite;
  }
  await save({ id, name, instanceId, origins: origin ?? old.origins, ...policy }, before, context);
}

function parseFormId(text: string): bigint {
  return parseId("Form", text);
}

function parseName(text: string): string {
  return requireName("The name of the form", text);
}

function collectOrigin(text: string, before: readonly string[] = []): readonly string[] {
  return [...new Set([...before, parseOrigin(text)])];
}

function addPolicyOptions(command: Command): Command {
  return command
    .choice(
      "--remember <how>",
      "how long log-ins are remembered: not at all (off), until the browser closes (session), or longer (persistent)",
      rememberings,
    )
    .choice(
      "--same-site <mode>",
      "SameSite attribute of the cookie; use none for pages on a different site than the server",
      sameSites,
    )
    .option("--auto-log-in", "allow TryAutoLogIn from this form")
    .option("--no-auto-log-in", "refuse TryAutoLogIn from this form")
    .shared("config");
}

function readPolicy({ remember, sameSite, autoLogIn }: SetOptions) {
  return { remembering: remember, sameSite, allowsAutoLogIn: autoLogIn };
}

/** Stores a form and prints it as it is stored, with advice. */
async function save(
  change: FormChange,
  before: readonly Form[],
  { administration, terminal }: AdminContext,
): Promise<void> {
  const forms = applyChanges([change], before);
  await administration.putForms(forms, Date.now());
  const stored = await administration.listForms();
  printForms(
    stored.filter(({ id }) => id === change.id),
    {},
    terminal,
  );
  for (const line of forms.flatMap((form) => adviseOnForm(form, before))) terminal.err(`${line}\n`);
}
