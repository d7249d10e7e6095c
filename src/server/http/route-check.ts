import { type HttpHead, type HttpResponse, headerOf } from "../../bindings/http.ts";
import {
  allowsCredentials,
  describeOriginRefusal,
  type OriginCheck,
  preflightResponse,
} from "../cors/cors-policy.ts";
import type { Route } from "./app.ts";
import { jsonError } from "./json-response.ts";

/** Type of the bodies that routes take; a page of another origin cannot send it without asking. */
const mediaType = "application/json";

/**
 * The answer to a request that a route does not take, or that needs no more than its head: 403, 405 with Allow, 415, and
 * 204 to a browser that asks. Undefined where the route is to answer.
 */
export function refuseRoute(
  head: HttpHead,
  { method }: Route,
  origin: OriginCheck,
): HttpResponse | undefined {
  if (!allowsCredentials(origin)) {
    return jsonError(403, describeOriginRefusal(head, "credentials"));
  }
  if (head.method !== method) {
    const reason = `The method is not allowed here, use ${method}.`;
    return preflightResponse(head, origin, [method]) ?? jsonError(405, reason, ["Allow", method]);
  }
  const encoding = headerOf(head, "content-encoding")?.toLowerCase() ?? "identity";
  const isJson = head.contentType?.name === mediaType;
  if (isJson && encoding === "identity") return undefined;
  return jsonError(415, `The body must be ${mediaType}, and as it is, without a content encoding.`);
}
