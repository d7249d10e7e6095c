import type {
  Administration,
  ListedAccount,
} from "../../../domain/log-in/accounts/administration.ts";
import { withAdminContext } from "../../admin-context.ts";
import { exitCodes } from "../../exit-codes.ts";
import { formatInstant } from "../../io/options.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { describeHashForm } from "./hash-form.ts";

/** Options of `accounts list`. */
export interface ListAccountsOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/**
 * Prints all accounts: a table, or with `json` one line for each. Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be read.
 */
export async function listAccounts(
  options: ListAccountsOptions,
  console: Terminal,
): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration }) => {
    const lines = readAccounts(administration);
    if (options.json) {
      for await (const line of lines) console.out(renderJson(line));
    } else {
      console.out(renderLines(await Array.fromAsync(lines)));
    }
  });
  return exitCodes.done;
}

async function* readAccounts(
  administration: Pick<Administration, "listAccounts">,
): AsyncGenerator<ListedAccount> {
  let after: bigint | null = null;
  do {
    const page: readonly ListedAccount[] = await administration.listAccounts(after, Date.now());
    yield* page;
    after = page.at(-1)?.recordId ?? null;
  } while (after !== null);
}

function renderLines(lines: readonly ListedAccount[]): string {
  if (lines.length === 0) return "There are no accounts yet. Add one: wfh accounts add <name>\n";
  const heading = [
    ...["Record", "Contact", "User name", "State", "Password", "Last log-in", "Sessions"],
  ];
  return renderTable([heading, ...lines.map(rowOf)]);
}

function rowOf(line: ListedAccount): readonly string[] {
  return [
    String(line.recordId),
    String(line.contactId),
    toPrintable(line.userName),
    line.isEnabled ? "enabled" : "disabled",
    describeHashForm(line.hashForm),
    line.lastLogInAtMs === null ? "never" : formatInstant(line.lastLogInAtMs),
    String(line.sessions),
  ];
}

/** What a line tells, without the hash. */
function renderJson(line: ListedAccount): string {
  return renderJsonLine({
    recordId: line.recordId,
    contactId: line.contactId,
    userName: line.userName,
    isEnabled: line.isEnabled,
    hashForm: line.hashForm,
    createdAt: formatInstant(line.createdAtMs),
    lastLogInAt: line.lastLogInAtMs === null ? null : formatInstant(line.lastLogInAtMs),
    sessions: line.sessions,
  });
}
