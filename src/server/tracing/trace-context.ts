import { type HttpHead, listValues } from "../../bindings/http.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";

/** Version, trace id, parent id, flags, and what a version after 00 may append (W3C Trace Context §3.2). No id is all zeros. */
const traceparent =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** What finds a request in the log: its id, and the trace id of its span, otherwise of its `traceparent`, if there is one. */
export function idsOf({ id, head, span }: Pick<IncomingRequest, "id" | "head" | "span">): {
  readonly requestId: string;
  readonly traceId?: string;
} {
  const traceId = span?.spanContext().traceId ?? readTraceId(head);
  return traceId === undefined ? { requestId: id } : { requestId: id, traceId };
}

/** Reads the trace id of `traceparent`; undefined where that is missing, invalid or repeated. */
export function readTraceId(head: Pick<HttpHead, "headers">): string | undefined {
  const value = listValues(head, "traceparent").join();
  const [, version, traceId, more] = traceparent.exec(value) ?? [];
  return version === "00" && more !== undefined ? undefined : traceId;
}
