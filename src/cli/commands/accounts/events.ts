import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { configOption, formatInstant, parseInstant, type SharedOptions } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import { printRecords } from "../../io/report.ts";
import { requireAccount } from "./account.ts";

interface EventsOptions extends SharedOptions {
  /** User name; without it events of all accounts, and of unknown names. */
  readonly account?: string;
  /** `YYYY-MM-DD` or a time with its zone; inclusive. */
  readonly from?: string;
  /** Most events, in decimal digits. */
  readonly max: string;
}

/** Most events of one list: they are read at once. */
const eventsMax = 100_000;

/** `wfh accounts events`. */
export const declareEvents: DeclareCommand = (group, { terminal }) => {
  group
    .command("events")
    .description("list events such as log-ins, refusals and changes, the latest last")
    .option("--account <name>", "events of one account")
    .option("--from <time>", "first event, a day (2026-11-21, in UTC) or a time with its zone")
    .option("--max <n>", "number of latest events to show", "100")
    .option("--json", "one JSON object for each event instead of a table")
    .addOption(configOption())
    .action((options: EventsOptions) => {
      const fromMs = parseInstant("--from", options.from);
      const max = parseMax(options.max);
      return withAdminContext(options.config, terminal, async (context) => {
        const { account } = options;
        const recordId =
          account === undefined ? null : (await requireAccount(context, account)).recordId;
        const events = await context.administration.listEvents({ recordId, fromMs, max });
        const records = events.map((event) => ({
          id: event.id,
          at: formatInstant(event.atMs),
          event: event.name,
          reason: event.reason,
          recordId: event.accountId,
          sessionId: event.sessionId,
          network: event.network,
          formId: event.formId,
          applicationInstanceId: event.instanceId,
          requestId: event.requestId,
        }));
        printRecords(terminal, options, records, {
          none: "There are no events.",
          columns: [
            ["Time", ({ at }) => at],
            ["Event", ({ event }) => event],
            ["Reason", ({ reason }) => reason ?? "-"],
            ["Record", ({ recordId: id }) => String(id ?? "-")],
            ["Session", ({ sessionId }) => String(sessionId ?? "-")],
            ["Network", ({ network }) => network ?? "-"],
            ["Form", ({ formId }) => String(formId ?? "-")],
            ["Instance", ({ applicationInstanceId: id }) => String(id ?? "-")],
            ["Request", ({ requestId }) => requestId ?? "-"],
          ],
        });
      });
    });
};

function parseMax(text: string): number {
  const max = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (max >= 1 && max <= eventsMax) return max;
  throw new CommandError(
    `--max ${toPrintable(text)}: allowed is a whole number from 1 to ${eventsMax}`,
    exitCodes.usage,
  );
}
