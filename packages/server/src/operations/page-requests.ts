import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import { memberNameOf } from "../contract/member-names.ts";
import type { restApi } from "../contract/rest-api.ts";
import type { VisitorSessions } from "../domain/log-in/sessions/visitor-sessions.ts";
import type { Visitor } from "../domain/log-in/visitor.ts";
import {
  type PageRequest,
  type PageRequestExtras,
  type PageRequestInput,
  pageRequestFields,
  type VisitorFinding,
} from "../domain/page-requests/page-request.ts";
import { NotStoredError, type NotStoredReason } from "../domain/page-requests/page-request-log.ts";
import type { PageRequests } from "../domain/page-requests/record.ts";
import { Fault, type FaultCode } from "../fault.ts";
import type { OperationHandlers } from "./operation-handler.ts";

/** Collaborators of the page request operations. */
export interface PageRequestOperationDeps {
  readonly pageRequests: Pick<PageRequests, "record" | "recordAll">;
  readonly sessions: Pick<VisitorSessions, "findFor">;
}

/** LogPageRequestAsync (contract §4.1). It returns once the row is on disk (decision 0014). */
export function pageRequestOperations(
  deps: PageRequestOperationDeps,
): Pick<OperationHandlers<typeof ajaxEndpoint>, "LogPageRequestAsync"> {
  return {
    LogPageRequestAsync: async (input, context) => {
      const request = toPageRequest(input);
      const visitor = context.visitor();
      try {
        const found = findFor(request, visitor, deps);
        const finding = found instanceof Promise ? await found : found;
        await deps.pageRequests.record(request, visitor, finding);
      } catch (cause) {
        throw toFault(cause, notStored);
      }
    },
  };
}

type PageRequestResources = Pick<OperationHandlers<typeof restApi>, "logPageRequests">;
type Item = Parameters<PageRequestResources["logPageRequests"]>[0]["pageRequests"][number];

/** Page requests over REST (decision 0057). It returns once all rows are on disk. */
export function pageRequestResources(deps: PageRequestOperationDeps): PageRequestResources {
  return {
    logPageRequests: async ({ pageRequests }, context) => {
      const visitor = context.visitor();
      const hasKeys = pageRequests.every(({ eventKey }) => eventKey !== null);
      // Nearly all are of one instance, whose session is looked up once.
      const findings = new Map<number | null, Promise<VisitorFinding | null>>();
      try {
        const requests = pageRequests.map(async (item) => {
          const request = fromItem(item);
          const { applicationInstanceId: id } = request;
          const finding = findings.get(id) ?? Promise.resolve(findFor(request, visitor, deps));
          findings.set(id, finding);
          return { request, finding: await finding };
        });
        await deps.pageRequests.recordAll(await Promise.all(requests), visitor);
      } catch (cause) {
        throw toFault(cause, hasKeys ? notStoredByKey : notStored);
      }
    },
  };
}

function findFor(
  { applicationInstanceId }: PageRequest,
  visitor: Visitor,
  { sessions }: PageRequestOperationDeps,
) {
  const instanceId = applicationInstanceId === null ? null : BigInt(applicationInstanceId);
  return sessions.findFor(visitor, instanceId);
}

const codes: Readonly<Record<NotStoredReason, FaultCode>> = {
  busy: "busy",
  "too-many": "busy",
  unavailable: "unavailable",
  unknown: "unavailable",
};

function toFault(cause: unknown, messages: Readonly<Record<NotStoredReason, string>>): unknown {
  if (!(cause instanceof NotStoredError)) return cause;
  return new Fault(codes[cause.reason], messages[cause.reason], { cause });
}

/** Faults of page requests that are not stored; the contract names none (contract §7). */
const notStored = {
  busy: "The page request was not stored: too many are waiting. Try again in a moment.",
  "too-many":
    "The page request was not stored: too many come from your network. Try again in a minute.",
  unavailable:
    "The page request was not stored: the database cannot be written to. Try again later.",
  unknown:
    "The page request may not have been stored: the database failed while it was written. If you send it again, it may be stored twice.",
};

/** The same for page requests with keys, of which some may be stored: all can be sent again. */
const notStoredByKey = {
  busy: "Not all page requests were stored: too many are waiting. Send all again in a moment.",
  "too-many":
    "No page request was stored: too many come from your network. Send fewer at once, or all again in a minute.",
  unavailable:
    "Not all page requests were stored: the database cannot be written to. Send all again later.",
  unknown:
    "Some page requests may not have been stored: the database failed while they were written. Send all again: their keys keep each from being stored twice.",
};

const givenFields = Object.entries(pageRequestFields).flatMap(([name, field]) =>
  "part" in field ? [[name, field.part] as const] : [],
);

type Input = Parameters<OperationHandlers<typeof ajaxEndpoint>["LogPageRequestAsync"]>[0];
/** Does not compile where the contract has a part that no field stores. */
type Unstored = Readonly<Record<Exclude<keyof Input, keyof PageRequestInput>, never>>;

/** Fields that the contract's own operation lacks. */
const noExtras: PageRequestExtras = { eventKey: null, referrer: null, kind: null, step: null };
const nothing = { ...noExtras, ...Object.fromEntries(givenFields.map(([name]) => [name, null])) };

function toPageRequest(parts: PageRequestInput & Unstored): PageRequest {
  // A copy has its form from the start, as in `compileMemberReader`.
  const request: Partial<Record<string, unknown>> = { ...nothing };
  for (const [name, part] of givenFields) request[name] = parts[part];
  // Every field that has a part is there, with the type of its part.
  return request as PageRequest;
}

/** The names of the parts are those of the contract in the manner of JSON. */
function fromItem(item: Item): PageRequest {
  const { eventKey, referrer, kind, step } = item;
  const members: Readonly<Record<string, unknown>> = item;
  const parts = givenFields.map(([, part]) => [part, members[memberNameOf(part)]]);
  return {
    ...toPageRequest(Object.fromEntries(parts) as PageRequestInput),
    eventKey,
    referrer,
    kind,
    step,
  };
}
