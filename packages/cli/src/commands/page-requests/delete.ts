import { setTimeout as pause } from "node:timers/promises";
import { countOf } from "@wfh/server/lib/printable.ts";
import type {
  DeletionFilter,
  PageRequestDeletion,
} from "@wfh/server/store/admin/page-request-deletion.ts";
import { type OpenAdmin, withDatabase } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { formatInstant } from "../../io/options.ts";
import { Progress } from "../../io/progress.ts";
import { readSettings } from "../../io/settings.ts";
import { interruptible, requireConsent, type Terminal } from "../../io/terminal.ts";

interface DeleteOptions extends SharedOptions {
  readonly contact?: bigint;
  readonly form?: bigint;
  /** UTC in milliseconds; exclusive. */
  readonly before?: number;
}

const help = `
Give at least one of --contact, --form and --before. If you give several, a page request must match
all of them. The server can keep running: rows are deleted in small batches. If the command is
interrupted, run it again. Backups and exports are not changed.
`;

/** `wfh page-requests delete`. */
export const declareDelete: DeclareCommand = (group) =>
  group
    .command("delete")
    .description("Delete page requests by contact, form or age")
    .id("--contact <id>", "contact ID, as claimed by the page or found by the server")
    .id("--form <id>", "form ID of the page requests")
    .instant(
      "--before <time>",
      "only those that arrived before this day (2026-11-21, UTC) or time with zone",
    )
    .shared("dryRun", "yes", "config")
    .addHelpText("after", help)
    .run(deletePageRequests);

async function deletePageRequests(options: DeleteOptions, { terminal }: Command): Promise<void> {
  const { contact: contactId = null, form: formId = null, before: beforeMs = null } = options;
  const filter = { contactId, formId, beforeMs };
  if (Object.values(filter).every((value) => value === null)) {
    throw new CommandError(
      "Give at least one of --contact, --form and --before. See wfh page-requests delete --help.",
      exitCodes.usage,
    );
  }
  const { databaseUrl } = readSettings(options.config, terminal);
  // As patient as an import: a step may look at all page requests of a day.
  const open: OpenAdmin = ({ openAdmin }) => openAdmin(databaseUrl, "import");
  await withDatabase(open, async ({ deletion }) => {
    const rows = await deletion.count(filter);
    terminal.out(`Found ${countOf(rows, "page request")}${describe(filter)}.\n`);
    if (options.dryRun) terminal.out("Nothing was deleted: this was a dry run.\n");
    if (options.dryRun || rows === 0) return;
    await requireConsent(terminal, options, `delete ${countOf(rows, "page request")} for good`);
    const deleted = await deleteAll(deletion, filter, rows, terminal);
    terminal.out(`Deleted ${countOf(deleted, "page request")}.\n`);
  });
}

function describe({ contactId, formId, beforeMs }: DeletionFilter): string {
  const contact = contactId === null ? "" : ` of contact ${contactId}`;
  const form = formId === null ? "" : ` of form ${formId}`;
  return `${contact}${form}${beforeMs === null ? "" : ` before ${formatInstant(beforeMs)}`}`;
}

async function deleteAll(
  deletion: PageRequestDeletion,
  filter: DeletionFilter,
  expected: number,
  terminal: Terminal,
): Promise<number> {
  const progress = new Progress(terminal, { verb: "Deleted", noun: "page requests" });
  const message = "Interrupted. Run the command again to delete the rest.";
  let deleted = 0;
  try {
    return await interruptible(terminal, message, async (signal) => {
      let position = await deletion.begin(filter, Date.now());
      while (position !== null) {
        const startedMs = performance.now();
        const step = await deletion.deleteStep(filter, position);
        position = step.next;
        deleted += step.deleted;
        progress.update(deleted, deleted / expected);
        signal.throwIfAborted();
        // Other processes poll for the lock of a SQLite file; without a pause they rarely get it.
        if (step.deleted > 0) await pause(performance.now() - startedMs, undefined, { signal });
      }
      return deleted;
    });
  } finally {
    progress.close();
  }
}
