import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, parseId, type SharedOptions } from "../../io/options.ts";
import { unknownForm } from "./form.ts";

/** `wfh forms remove`. */
export const declareRemove: DeclareCommand = (group, { terminal }) => {
  group
    .command("remove")
    .description("remove a form; the last one removes its application instance too")
    .argument("<id>", "id of the form")
    .addOption(configOption())
    .action((idText: string, options: SharedOptions) => {
      const id = parseId("Form", idText);
      return withAdminContext(options.config, terminal, async ({ administration }) => {
        if (!(await administration.removeForm(id))) throw unknownForm(id);
        terminal.out(`Removed form ${id}\n`);
      });
    });
};
