import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, type SharedOptions } from "../../io/options.ts";
import { countOf } from "../../io/printable.ts";

const help = `
The database has a fingerprint of each imported hash, so that importing a file again changes nothing. An
attacker with both the key and the database could test password guesses against it. Delete the fingerprints when the
old server is gone: this cannot be undone. Log-ins work as before. Later imports reject these accounts without
--overwrite, which replaces their passwords with those of the file.
`;

/** `wfh accounts forget-imports` (decision 0035). */
export const declareForgetImports: DeclareCommand = (accounts, { terminal }) => {
  accounts
    .command("forget-imports")
    .description("delete the fingerprints of imported hashes, once the old system is gone")
    .addOption(configOption())
    .addHelpText("after", help)
    .action((options: SharedOptions) =>
      withAdminContext(options.config, terminal, async ({ administration }) => {
        const count = await administration.forgetImports();
        terminal.out(
          `Deleted the fingerprints of ${countOf(count, "account")}. Log-ins work as before; later imports reject these accounts without --overwrite.\n`,
        );
      }),
    );
};
