import { maskAddress } from "../network.ts";
import type { LogInEvent, LogInEventName } from "./log-in-event.ts";
import type { LogInStore } from "./log-in-store.ts";
import type { Visitor } from "./visitor.ts";

/** What an event says beside its name, who called and when. */
export type EventFacts = Partial<
  Pick<LogInEvent, "reason" | "accountId" | "sessionId" | "formId" | "instanceId">
>;

/** Where events go: into the log at once, and into the table. */
export interface Audit {
  /** An event that somebody else is going to write. */
  draft(name: LogInEventName, visitor: Visitor, facts?: EventFacts): LogInEvent;
  /** Tells the log of an event that is in the table. */
  log(event: LogInEvent): void;
  /** Writes an event to both. Throws {LogInUnavailableError}. */
  record(name: LogInEventName, visitor: Visitor, facts?: EventFacts): Promise<void>;
  /** Writes several events to both, in one transaction. Throws {LogInUnavailableError}. */
  recordAll(events: readonly LogInEvent[]): Promise<void>;
}

/** Makes the audit over the table of events (decision 0026). */
export function createAudit(
  store: Pick<LogInStore, "addEvents">,
  now: () => number,
  tell: (event: LogInEvent) => void,
): Audit {
  const draft: Audit["draft"] = (name, visitor, facts = {}) => ({
    atMs: now(),
    name,
    reason: null,
    accountId: null,
    sessionId: null,
    formId: null,
    instanceId: null,
    network: visitor.address === null ? null : maskAddress(visitor.address),
    requestId: visitor.requestId,
    ...facts,
  });
  const recordAll: Audit["recordAll"] = async (events) => {
    // The log first: it works when the database does not.
    events.forEach(tell);
    await store.addEvents(...events);
  };
  return { draft, log: tell, recordAll, record: (...given) => recordAll([draft(...given)]) };
}
