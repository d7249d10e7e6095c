import { countOf } from "../../../lib/printable.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand } from "../../io/command.ts";

const help = `
The database stores a fingerprint of each imported hash, so that importing the same file again
changes nothing. An attacker with both the key and the database could use it to test guesses of
passwords. Delete the fingerprints once the old system is shut down.

This cannot be undone. Log-ins work as before. Later imports reject these accounts unless you use
--overwrite, which replaces their passwords with those in the file.
`;

/** `wfh accounts forget-imports` (decision 0035). */
export const declareForgetImports: DeclareCommand = (accounts) =>
  accounts
    .command("forget-imports")
    .description("Delete the fingerprints of imported hashes, once the old system is shut down")
    .shared("config")
    .addHelpText("after", help)
    .run(administer(forgetImports));

async function forgetImports({ administration, terminal }: AdminContext): Promise<void> {
  const count = await administration.forgetImports();
  terminal.out(
    `Deleted the fingerprints of ${countOf(count, "account")}. Log-ins work as before. Later imports reject these accounts unless you use --overwrite.\n`,
  );
}
