import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError } from "../../exit-codes.ts";
import { idOption, parseId } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  addPolicyOptions,
  applyPolicy,
  type FormOptions,
  newPolicy,
  readOrigins,
  saveForm,
} from "./form.ts";

interface AddOptions extends FormOptions {
  readonly name: string;
  readonly instance: bigint;
  readonly origin: readonly string[];
}

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
  addPolicyOptions(command).action((id: string, options: AddOptions) =>
    addForm(parseId("Form", id), options, terminal),
  );
};

async function addForm(id: bigint, options: AddOptions, terminal: Terminal): Promise<void> {
  const origins = readOrigins(options) ?? [];
  await withAdminContext(
    options.config,
    terminal,
    async (context) => {
      const forms = await context.administration.listForms();
      if (forms.some((form) => form.id === id)) {
        throw new CommandError(
          `There is a form ${id} already.\nChange it with wfh forms set ${id}, or remove it first: wfh forms remove ${id}`,
        );
      }
      const { name, autoLogIn: allowsAutoLogIn = true } = options;
      const instance = await applyPolicy(context, options.instance, options, newPolicy);
      await saveForm({ id, name, instance, origins, allowsAutoLogIn }, context, terminal);
    },
    "existing or new",
  );
}
