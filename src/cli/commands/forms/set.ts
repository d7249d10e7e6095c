import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { idOption, parseId } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  addPolicyOptions,
  applyPolicy,
  type FormOptions,
  readOrigins,
  saveForm,
  unknownForm,
} from "./form.ts";

/** `wfh forms set`. */
export const declareSet: DeclareCommand = (group, { terminal }) => {
  const command = group
    .command("set")
    .description("change the given options of a form")
    .argument("<id>", "id of the form")
    .option("--name <text>", "name shown in lists")
    .addOption(idOption("--instance <id>", "application instance that it belongs to"))
    .option("--origin <origin...>", "origins of its pages, replacing the current ones");
  addPolicyOptions(command).action((id: string, options: FormOptions) =>
    setForm(parseId("Form", id), options, terminal),
  );
};

async function setForm(id: bigint, options: FormOptions, terminal: Terminal): Promise<void> {
  const { config: _config, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new CommandError(
      "Say what is to change. See what can: wfh forms set --help",
      exitCodes.usage,
    );
  }
  const origins = readOrigins(options);
  await withAdminContext(options.config, terminal, async (context) => {
    const forms = await context.administration.listForms();
    const old = forms.find((form) => form.id === id);
    if (old === undefined) throw unknownForm(id);
    const { instance: instanceId = old.instance.id } = options;
    const form = {
      id,
      name: options.name ?? old.name,
      instance: await applyPolicy(context, instanceId, options, old.instance),
      origins: origins ?? old.origins,
      allowsAutoLogIn: options.autoLogIn ?? old.allowsAutoLogIn,
    };
    await saveForm(form, context, terminal);
  });
}
