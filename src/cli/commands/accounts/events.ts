import type { LogInEvent } from "../../../domain/log-in/audit.ts";
import { withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { formatInstant, parseInstant } from "../../io/options.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { findKnownAccount } from "./known-account.ts";

/** Options of `accounts events`. */
export interface ListEventsOptions {
  /** User name; events of all accounts and of none without it. */
  readonly account?: string;
  /** `YYYY-MM-DD` or a time with its zone; inclusive. */
  readonly from?: string;
  /** Most events, in decimal digits. */
  readonly max: string;
  readonly json?: boolean;
  readonly config?: string;
}

/** Most events of one answer: they are read at once. */
const eventsMax = 100_000;

type NumberedEvent = LogInEvent & { readonly id: bigint };

/**
 * Prints the latest events of the audit, the latest last: a table, or with `json` one line for each. Resolves to the
 * exit code.
 *
 * @throws {CommandError} when the options cannot be used, or there is no such account.
 */
export async function listEvents(options: ListEventsOptions, console: Terminal): Promise<number> {
  const fromMs = parseInstant("--from", options.from);
  const max = parseMax(options.max);
  await withAdminContext(options.config, console, async ({ administration }) => {
    const { account } = options;
    const recordId =
      account === undefined ? null : (await findKnownAccount(administration, account)).recordId;
    const events = await administration.listEvents({ recordId, fromMs, max });
    console.out(options.json ? events.map(renderJson).join("") : renderEvents(events));
  });
  return exitCodes.done;
}

function parseMax(text: string): number {
  const max = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (max >= 1 && max <= eventsMax) return max;
  throw new CommandError(
    `--max ${toPrintable(text)}: allowed is a whole number from 1 to ${eventsMax}`,
    exitCodes.usage,
  );
}

function renderEvents(events: readonly NumberedEvent[]): string {
  if (events.length === 0) return "There are no events.\n";
  const heading = [
    ...["Time", "Event", "Reason", "Record", "Session", "Network", "Form", "Instance", "Request"],
  ];
  return renderTable([heading, ...events.map(rowOf)]);
}

function rowOf(event: NumberedEvent): readonly string[] {
  return [
    formatInstant(event.atMs),
    event.name,
    toPrintable(event.reason ?? "-"),
    String(event.accountId ?? "-"),
    String(event.sessionId ?? "-"),
    toPrintable(event.network ?? "-"),
    String(event.formId ?? "-"),
    String(event.instanceId ?? "-"),
    toPrintable(event.requestId ?? "-"),
  ];
}

function renderJson(event: NumberedEvent): string {
  return renderJsonLine({
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
  });
}
