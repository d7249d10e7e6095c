import { type HttpHead, listValues } from "../../bindings/http.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";

/** W3C Trace Context §3.2; no id is all zeros, and a version after 00 may append more. */
const traceparent =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;

/** Ids of a request in the log: its own, and the trace id of its span or `traceparent`. */
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
