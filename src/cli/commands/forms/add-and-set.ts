import type { Command } from "commander";
import type { Form, Remembering, SameSite } from "../../../domain/log-in/form.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import {
  choiceOption,
  configOption,
  idOption,
  parseId,
  requireName,
  type SharedOptions,
} from "../../io/options.ts";
import { parseOrigin } from "../../io/origin.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  adviseOnForm,
  applyChanges,
  type FormChange,
  rememberings,
  sameSites,
  unknownForm,
} from "./form.ts";
import { printForms } from "./list.ts";

/** What is undefined stays as it is. */
interface SetOptions extends SharedOptions {
  readonly name?: string;
  readonly instance?: bigint;
  readonly origin?: readonly string[];
  readonly remember?: Remembering;
  readonly sameSite?: SameSite;
  readonly autoLogIn?: boolean;
}

type AddOptions = SetOptions & Required<Pick<SetOptions, "name" | "instance" | "origin">>;

/** `wfh forms add`. */
export const declareAdd: DeclareCommand = (group, { terminal }) => {
  const command = group
    .command("add")
    .description("add a form")
    .argument("<id>", "id of the form, as its pages send it")
    .requiredOption("--name <text>", "name shown in lists")
    .addOption(
      idOption("--instance <id>", "application instance that it belongs to").makeOptionMandatory(),
    )
    .requiredOption(
      "--origin <origin...>",
      "origins of its pages, for example https://www.example.org",
    );
  addPolicyOptions(command).action((idText: string, options: AddOptions) => {
    const { name, instance: instanceId, origin } = options;
    const id = parseId("Form", idText);
    requireName("The name of the form", name);
    const change = { id, name, instanceId, origins: readOrigins(origin), ...readPolicy(options) };
    const add = async (context: AdminContext) => {
      const before = await context.administration.listForms();
      if (before.some((form) => form.id === id)) {
        throw new CommandError(
          `There is a form ${id} already.\nChange it with wfh forms set ${id}, or remove it first: wfh forms remove ${id}`,
        );
      }
      await save(change, before, context, terminal);
    };
    return withAdminContext(options.config, terminal, add, "existing or new");
  });
};

/** `wfh forms set`. */
export const declareSet: DeclareCommand = (group, { terminal }) => {
  const command = group
    .command("set")
    .description("change the given options of a form")
    .argument("<id>", "id of the form")
    .option("--name <text>", "name shown in lists")
    .addOption(idOption("--instance <id>", "application instance that it belongs to"))
    .option("--origin <origin...>", "origins of its pages, replacing the current ones");
  addPolicyOptions(command).action((idText: string, { config, ...options }: SetOptions) => {
    const id = parseId("Form", idText);
    if (Object.keys(options).length === 0) {
      throw new CommandError(
        "Say what is to change. See what can: wfh forms set --help",
        exitCodes.usage,
      );
    }
    if (options.name !== undefined) requireName("The name of the form", options.name);
    const origins = options.origin && readOrigins(options.origin);
    return withAdminContext(config, terminal, async (context) => {
      const before = await context.administration.listForms();
      const old = before.find((form) => form.id === id);
      if (old === undefined) throw unknownForm(id);
      const { name = old.name, instance: instanceId = old.instance.id } = options;
      const policy = readPolicy(options);
      // A new instance begins with the policy of the one that the form leaves.
      if (!before.some(({ instance }) => instance.id === instanceId)) {
        policy.remembering ??= old.instance.remembering;
        policy.sameSite ??= old.instance.sameSite;
      }
      const change = { id, name, instanceId, origins: origins ?? old.origins, ...policy };
      await save(change, before, context, terminal);
    });
  });
};

/** Adds the options that `forms add` and `forms set` share. */
function addPolicyOptions(command: Command): Command {
  return command
    .addOption(
      choiceOption(
        "--remember <how>",
        "log-ins of the instance; session is until the browser is closed",
        rememberings,
      ),
    )
    .addOption(
      choiceOption(
        "--same-site <mode>",
        "cookie of the instance; none is for forms that other sites embed",
        sameSites,
      ),
    )
    .option("--auto-log-in", "allow TryAutoLogIn from this form")
    .option("--no-auto-log-in", "refuse TryAutoLogIn from this form")
    .addOption(configOption());
}

function readOrigins(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => parseOrigin(text)))];
}

function readPolicy({ remember, sameSite, autoLogIn }: SetOptions) {
  return { remembering: remember, sameSite, allowsAutoLogIn: autoLogIn };
}

/** Stores a form and prints it as it is stored, with advice. */
async function save(
  change: FormChange,
  before: readonly Form[],
  { administration }: AdminContext,
  terminal: Terminal,
): Promise<void> {
  const forms = applyChanges([change], before);
  await administration.putForms(forms);
  const stored = await administration.listForms();
  printForms(
    stored.filter(({ id }) => id === change.id),
    {},
    terminal,
  );
  for (const line of forms.flatMap((form) => adviseOnForm(form, before))) terminal.err(`${line}\n`);
}
