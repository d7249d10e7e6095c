import type {
  Administration,
  ListedAccount,
} from "../../../domain/log-in/accounts/administration.ts";
import { parseHashForm } from "../../../secrets/hash-record.ts";
import type { LegacyStep } from "../../../secrets/legacy-digest.ts";
import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, formatInstant, type SharedOptions } from "../../io/options.ts";
import { renderJsonLine } from "../../io/printable.ts";
import { printRecords } from "../../io/report.ts";

/** `wfh accounts list`. */
export const declareList: DeclareCommand = (group, { terminal }) => {
  group
    .command("list")
    .description("list all accounts")
    .option("--json", "one JSON object for each account instead of a table")
    .addOption(configOption())
    .action((options: SharedOptions) =>
      withAdminContext(options.config, terminal, async ({ administration }) => {
        const listed = readAccounts(administration);
        if (options.json) {
          for await (const account of listed) terminal.out(renderJsonLine(toRecord(account)));
          return;
        }
        const accounts = await Array.fromAsync(listed, toRecord);
        printRecords(terminal, {}, accounts, {
          none: "There are no accounts yet. Add one: wfh accounts add <name>",
          columns: [
            ["Record", ({ recordId }) => String(recordId)],
            ["Contact", ({ contactId }) => String(contactId)],
            ["User name", ({ userName }) => userName],
            ["State", ({ isEnabled }) => (isEnabled ? "enabled" : "disabled")],
            ["Password", ({ hashForm }) => describeHashForm(hashForm)],
            ["Last log-in", ({ lastLogInAt }) => lastLogInAt ?? "never"],
            ["Sessions", ({ sessions }) => String(sessions)],
          ],
        });
      }),
    );
};

async function* readAccounts({
  listAccounts,
}: Pick<Administration, "listAccounts">): AsyncGenerator<ListedAccount> {
  let after: bigint | null = null;
  do {
    const page: readonly ListedAccount[] = await listAccounts(after, Date.now());
    yield* page;
    after = page.at(-1)?.recordId ?? null;
  } while (after !== null);
}

/** Everything but the hash. */
function toRecord(account: ListedAccount) {
  const { recordId, contactId, userName, isEnabled, hashForm, sessions } = account;
  const { createdAtMs, lastLogInAtMs } = account;
  const createdAt = formatInstant(createdAtMs);
  const lastLogInAt = lastLogInAtMs === null ? null : formatInstant(lastLogInAtMs);
  const identity = { recordId, contactId, userName, isEnabled, hashForm };
  return { ...identity, createdAt, lastLogInAt, sessions };
}

/** How a password is stored, for people. */
function describeHashForm(text: string): string {
  const form = parseHashForm(text);
  if (form === null) return "unknown, no log-in possible";
  if (form.legacy === null) return "Argon2id";
  return form.work === null
    ? `${describeLegacy(form.legacy)}, sealed: wfh accounts rehash`
    : `${describeLegacy(form.legacy)}, upgraded at the next log-in`;
}

function describeLegacy(step: LegacyStep): string {
  switch (step.scheme) {
    case "pbkdf2":
      return `ASP.NET Identity (${step.hash.toUpperCase()}, ${step.iterations.toLocaleString("en-US")} rounds)`;
    case "membership":
      return `ASP.NET Membership (${step.hash.toUpperCase()})`;
    case "bcrypt":
      return `bcrypt (cost ${step.cost})`;
  }
}
