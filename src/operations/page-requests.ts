import type { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import type { VisitorSessions } from "../domain/log-in/sessions/visitor-sessions.ts";
import {
  type PageRequest,
  type PageRequestInput,
  pageRequestFields,
} from "../domain/page-requests/page-request.ts";
import { NotStoredError, type NotStoredReason } from "../domain/page-requests/page-request-log.ts";
import type { PageRequests } from "../domain/page-requests/record.ts";
import { Fault, type FaultCode } from "../fault.ts";
import type { OperationHandlers } from "./operation-handler.ts";

/** The page request operation of the AJAX endpoint (contract §4.1). It returns once the row is on disk (decision 0014). */
export function pageRequestOperations(
  pageRequests: PageRequests,
  sessions: Pick<VisitorSessions, "findFor">,
): Pick<OperationHandlers<typeof ajaxEndpoint>, "LogPageRequestAsync"> {
  return {
    LogPageRequestAsync: async (input, context) => {
      const request = toPageRequest(input);
      const { applicationInstanceId } = request;
      const instanceId = applicationInstanceId === null ? null : BigInt(applicationInstanceId);
      try {
        const visitor = context.visitor();
        const found = sessions.findFor(visitor, instanceId);
        const finding = found instanceof Promise ? await found : found;
        await pageRequests.record(request, visitor, finding);
      } catch (cause) {
        if (!(cause instanceof NotStoredError)) throw cause;
        const { code, message } = notStored[cause.reason];
        throw new Fault(code, message, { cause });
      }
    },
  };
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

function toPageRequest(parts: PageRequestInput & Unstored): PageRequest {
  const request: Partial<Record<string, unknown>> = {};
  for (const [name, part] of givenFields) request[name] = parts[part];
  // Every field that has a part is there, with the type of its part.
  return request as PageRequest;
}
