import { withAdminContext } from "../../admin-context.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";

/** Options of `accounts forget-imports`. */
export interface ForgetImportsOptions {
  readonly config?: string;
}

/**
 * Forgets by what imported hashes would be known again, which is of use only while the old system is (decision 0035).
 * Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be used.
 */
export async function forgetImports(
  options: ForgetImportsOptions,
  console: Terminal,
): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration }) => {
    const accounts = await administration.forgetImports();
    const shown = accounts === 1 ? "1 account" : `${accounts.toLocaleString("en-US")} accounts`;
    console.out(
      `Forgot what imports said of ${shown}. Everybody logs in as before; a further import rejects them, unless it says --overwrite.\n`,
    );
  });
  return exitCodes.done;
}
