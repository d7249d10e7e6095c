import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { configOption, dryRunOption } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type ChangeOptions, findTarget, reportChange, withoutWarnings } from "./change.ts";
import { showCountry } from "./target.ts";

/** Adds `places remove`. */
export const addPlacesRemove: DeclareCommand = (group, { terminal }) => {
  group
    .command("remove")
    .description("remove an override and use the imported data again")
    .argument("<code>", "postal code")
    .requiredOption("--country <country>", "country of the code: FI, FIN or Finland")
    .addOption(dryRunOption())
    .addOption(configOption())
    .action((code: string, options: ChangeOptions) => removePlace(code, options, terminal));
};

async function removePlace(
  code: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<void> {
  const target = await findTarget(code, options, terminal);
  const { key, country, override, others } = target;
  if (override === undefined) {
    const advice = "List the overrides: wfh places list";
    const message = `There is no override of ${key} in ${showCountry(country)}. ${advice}`;
    throw new CommandError(message, exitCodes.no);
  }
  if (!options.dryRun) {
    await withAdminContext(options.config, withoutWarnings(terminal), ({ administration }) =>
      administration.placeOverrides.remove(country.code, key),
    );
  }
  reportChange(target, others, terminal);
  terminal.err(
    options.dryRun
      ? "Nothing was written: this was a dry run.\n"
      : "All running servers apply it within two seconds.\n",
  );
}
