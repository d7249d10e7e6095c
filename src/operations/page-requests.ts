import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import { memberNameOf, type restApi } from "../contract/rest-api.ts";
import type { VisitorSessions } from "../domain/log-in/sessions/visitor-sessions.ts";
import type { Visitor } from "../domain/log-in/visitor.ts";
import {
  type PageRequest,
  type PageRequestExtras,
  type PageRequestInput,
  pageRequestFields,
} from "../domain/page-requests/page-request.ts";
import { NotStoredError, type NotStoredReason } from "../domain/page-requests/page-request-log.ts";
import type { PageRequests } from "../domain/page-requests/record.ts";
import { Fault, type FaultCode, type FieldError, refuseErrors } from "../fault.ts";
import type { OperationHandlers } from "./operation-handler.ts";

/** What the page request operations call. */
export interface PageRequestOperationDeps {
  readonly pageRequests: Pick<PageRequests, "record">;
  readonly sessions: Pick<VisitorSessions, "findFor">;
}

/** The page request operation of the AJAX endpoint (contract §4.1). It returns once the row is on disk (decision 0014). */
export function pageRequestOperations(
  deps: PageRequestOperationDeps,
): Pick<OperationHandlers<typeof ajaxEndpoint>, "LogPageRequestAsync"> {
  return {
    LogPageRequestAsync: (input, context) => record(toPageRequest(input), context.visitor(), deps),
  };
}

type PageRequestResources = Pick<OperationHandlers<typeof restApi>, "logPageRequests">;
type Item = Parameters<PageRequestResources["logPageRequests"]>[0]["pageRequests"][number];

/** The page request operation of the REST API (decision 0057). It returns once all rows are on disk. */
export function pageRequestResources(deps: PageRequestOperationDeps): PageRequestResources {
  return {
    logPageRequests: async ({ pageRequests }, context) => {
      refuseErrors(pageRequests.flatMap((item, i) => checkKey(item, i, pageRequests.length)));
      const visitor = context.visitor();
      const made = pageRequests.map((item) => record(fromItem(item), visitor, deps));
      // All are waited for: those that are stored stay stored, and are found again by their keys.
      for (const outcome of await Promise.allSettled(made)) {
        if (outcome.status === "rejected") throw outcome.reason;
      }
    },
  };
}

/** A key is unique within its form; of several page requests each needs one, so that they can be sent again. */
function checkKey({ eventKey, formId }: Item, i: number, count: number): readonly FieldError[] {
  const index = count === 1 ? {} : { index: i };
  if (eventKey === null && count > 1) {
    const detail = "eventKey is missing: each of several needs one, so that all can be sent again.";
    return [{ field: "eventKey", ...index, detail }];
  }
  if (eventKey === null || formId !== null) return [];
  return [{ field: "formId", ...index, detail: "formId is missing: eventKey is unique per form." }];
}

async function record(
  request: PageRequest,
  visitor: Visitor,
  { pageRequests, sessions }: PageRequestOperationDeps,
): Promise<undefined> {
  const { applicationInstanceId } = request;
  const instanceId = applicationInstanceId === null ? null : BigInt(applicationInstanceId);
  try {
    const found = sessions.findFor(visitor, instanceId);
    const finding = found instanceof Promise ? await found : found;
    await pageRequests.record(request, visitor, finding);
  } catch (cause) {
    if (!(cause instanceof NotStoredError)) throw cause;
    const { code, message } = notStored[cause.reason];
    throw new Fault(code, message, { cause });
  }
}

/** Faults of page requests that are not stored; the contract names no error, so they are ours (contract §7). */
const notStored: Readonly<Record<NotStoredReason, { code: FaultCode; message: string }>> = {
  busy: {
    code: "busy",
    message: "The page request was not stored: too many are waiting. Try again in a moment.",
  },
  "too-many": {
    code: "busy",
    message:
      "The page request was not stored: too many come from your network. Try again in a minute.",
  },
  unavailable: {
    code: "unavailable",
    message: "The page request was not stored: the database cannot be written to. Try again later.",
  },
  unknown: {
    code: "unavailable",
    message:
      "The page request may not have been stored: the database failed while it was written. If you send it again, it may be stored twice.",
  },
};

const givenFields = Object.entries(pageRequestFields).flatMap(([name, field]) =>
  "part" in field ? [[name, field.part] as const] : [],
);

type Input = Parameters<OperationHandlers<typeof ajaxEndpoint>["LogPageRequestAsync"]>[0];
/** Does not compile where the contract has a part that no field stores. */
type Unstored = Readonly<Record<Exclude<keyof Input, keyof PageRequestInput>, never>>;

/** What callers of the contract's own operation do not give. */
const noExtras: PageRequestExtras = { eventKey: null, referrer: null, kind: null, step: null };

function toPageRequest(parts: PageRequestInput & Unstored): PageRequest {
  const request: Partial<Record<string, unknown>> = { ...noExtras };
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
    ...{ eventKey, referrer, kind, step },
  };
}
