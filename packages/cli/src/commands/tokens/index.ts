import { digestOfToken, newTokenText, tokenScopes } from "@wfh/console/access/tokens.ts";
import { renderJsonLine, toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes, unknownName } from "../../io/exit-codes.ts";
import { describeForms, formatInstant, parseIds, requireName } from "../../io/options.ts";
import { printRecords } from "../../io/report.ts";

const dayMs = 86_400_000;
/** Days after which a token ends that has no other end. */
const usualDays = 365;

const help = `
Examples:
  wfh tokens add grafana                    make a token for the reports of all forms
  wfh tokens add accounting --forms 7,12 --ends 2027-03-31
                                            make a token for two forms, until a day
  wfh tokens list                           list tokens with their ends and their last use
  wfh tokens remove grafana                 remove a token, which ends at once

A token is shown once: only its SHA-256 is stored. A program sends it as
  Authorization: Bearer wfh_…
`;

/** `wfh tokens`. */
export const declareCommand: DeclareCommand = (tokens) => {
  tokens.addHelpText("after", help);
  tokens
    .command("add")
    .description("Make a token and print it, this once")
    .argument("<name>", "name, for lists and events", (text) =>
      requireName("The name of the token", text),
    )
    .choice("--scope <scope>", "purpose of the token", tokenScopes, tokenScopes[0])
    .value("--forms <ids>", "forms whose reports it may read (default: all)", parseIds)
    .instant("--ends <time>", `end: day (UTC) or time with zone (default: in ${usualDays} days)`)
    .shared("json", "config")
    .run(administer(add, "existing or new"));
  tokens
    .command("list")
    .description("List tokens with their ends and their last use, without their texts")
    .jsonPer("token")
    .shared("config")
    .run(administer(list));
  tokens
    .command("remove")
    .description("Remove a token: programs that send it are refused at once")
    .argument("<name>", "name of the token")
    .shared("config")
    .run(administer(remove));
};

interface AddOptions extends SharedOptions {
  readonly scope: (typeof tokenScopes)[number];
  readonly forms?: readonly string[];
  /** UTC, milliseconds. */
  readonly ends?: number;
}

async function add(
  { database, terminal }: AdminContext,
  name: string,
  options: AddOptions,
): Promise<void> {
  const nowMs = Date.now();
  const { scope, forms = null, ends: endsAtMs = nowMs + usualDays * dayMs } = options;
  if (endsAtMs <= nowMs) {
    throw new CommandError("--ends is in the past: give a later time.", exitCodes.usage);
  }
  if ((await database.tokens.list()).some((token) => token.name === name)) {
    throw new CommandError(
      `There is a token ${toPrintable(name)} already.\nChoose another name, or remove it: wfh tokens remove ${toShellWord(name)}`,
    );
  }
  const text = newTokenText();
  const hash = digestOfToken(text);
  await database.tokens.add({ name, scope, forms, endsAtMs, hash }, nowMs);
  const endsAt = formatInstant(endsAtMs);
  if (options.json) {
    terminal.out(renderJsonLine({ name, token: text, scope, forms, endsAt }));
    return;
  }
  terminal.out(`${text}\n`);
  terminal.err(
    `This is the only time that the token is shown. It may read ${scope} of ${describeForms(forms)} until ${endsAt}.\n`,
  );
}

async function list({ database, terminal }: AdminContext, options: SharedOptions): Promise<void> {
  const tokens = await database.tokens.list();
  const records = tokens.map(({ createdAtMs, endsAtMs, lastUsedAtMs, ...token }) => ({
    ...token,
    createdAt: formatInstant(createdAtMs),
    endsAt: formatInstant(endsAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : formatInstant(lastUsedAtMs),
  }));
  printRecords(terminal, options, records, {
    none: "There are no tokens yet. Make one: wfh tokens add <name>",
    columns: [
      ["Name", ({ name }) => name],
      ["Scope", ({ scope }) => scope],
      ["Forms", ({ forms }) => forms?.join(", ") ?? "all"],
      ["Added", ({ createdAt }) => createdAt],
      ["Ends", ({ endsAt }) => endsAt],
      ["Last use", ({ lastUsedAt }) => lastUsedAt ?? "never"],
    ],
  });
}

async function remove({ database, terminal }: AdminContext, name: string): Promise<void> {
  if (!(await database.tokens.remove(name, Date.now()))) {
    throw unknownName("token", name);
  }
  terminal.out(`Removed ${toPrintable(name)}: it is refused from now on.\n`);
}
