import { toPrintable } from "@wfh/server/lib/printable.ts";
import { findFollowStart } from "@wfh/server/store/admin/follow.ts";
import type { AdminDatabase } from "@wfh/server/store/admin/open-admin.ts";
import type {
  NumberedPageRequest,
  PageFilter,
} from "@wfh/server/store/admin/page-request-reader.ts";
import { int64Max } from "@wfh/server/store/sql.ts";
import { withReader } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { formatInstant } from "../../io/options.ts";
import { interruptible, type Terminal } from "../../io/terminal.ts";
import { inChunks } from "./export.ts";
import { createFollowDeps, followFrom } from "./follow.ts";

interface TailOptions extends SharedOptions {
  readonly follow?: boolean;
  readonly form?: bigint;
  readonly url?: string;
  readonly max: number;
}

/** `wfh page-requests tail`. */
export const declareTail: DeclareCommand = (group) => {
  group
    .command("tail")
    .description("Show the newest page requests, one per line")
    .option("-f, --follow", "print more page requests as they arrive")
    .max("number of page requests to show", 10)
    .id("--form <id>", "only page requests of this form")
    .option("--url <text>", "only page requests whose address contains this text")
    .jsonPer("page request")
    .shared("config")
    .run((options: TailOptions, { terminal }: Command) =>
      interruptible(terminal, "Interrupted.", async (signal) => {
        const show = (database: AdminDatabase) => tail(database, options, terminal, signal);
        await withReader(options, terminal, show).catch((cause) => {
          // Ctrl+C is how people end it.
          if (!signal.aborted) throw cause;
        });
      }),
    );
};

async function tail(
  database: AdminDatabase,
  options: TailOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { json = false, follow = false, form = null, url = null, max } = options;
  const filter = { formId: form, url };
  const print = async (rows: readonly NumberedPageRequest[]) => {
    if (!json) terminal.out(rows.map(renderLine).join(""));
    else for await (const lines of inChunks(rows)) terminal.out(lines);
  };
  const deps = createFollowDeps(terminal, signal);
  const end = follow ? await findFollowStart(database.following, deps) : int64Max;
  if (!json) terminal.out(renderCells("Arrived (UTC)", "Form", "Contact", "Page"));
  await print(await database.pageRequests.listNewest(filter, end, max));
  if (!follow) return;
  const printShown = (page: readonly NumberedPageRequest[]) => print(page.filter(isShown(filter)));
  await followFrom(database, end, deps, { untilEnd: false, print: printShown });
}

/** As the query of the newest page requests chooses. */
function isShown({ formId, url }: PageFilter) {
  return (row: NumberedPageRequest) =>
    (formId === null || row.formId === formId) &&
    (url === null || row.pageUrl?.includes(url) === true);
}

function renderLine({ arrivedAtMs, formId, contactId, finding, pageUrl }: NumberedPageRequest) {
  const contact = finding?.contactId ?? contactId;
  const arrived = formatInstant(arrivedAtMs).replace("T", " ").replace("Z", "");
  return renderCells(arrived, String(formId ?? "-"), String(contact ?? "-"), pageUrl ?? "-");
}

function renderCells(arrived: string, form: string, contact: string, page: string): string {
  const columns = [arrived.padEnd(23), form.padEnd(8), contact.padEnd(10), toPrintable(page)];
  return `${columns.join("  ")}\n`;
}
