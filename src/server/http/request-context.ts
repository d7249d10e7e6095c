import type { Logger } from "pino";
import type { Call } from "../../bindings/binding.ts";
import type { SetCookie } from "../log-in/session-cookie.ts";
import type { CheckedRequest } from "./app.ts";
import type { ResponseHeaders } from "./response-headers.ts";
import { type RequestVisitor, readVisitor } from "./visitor.ts";

/** What an operation may ask and say of the request that calls it; nothing is found out before it asks. */
export class RequestContext {
  private readonly call: Call;
  private readonly request: CheckedRequest;
  private readonly notes: ResponseHeaders;
  private readonly log: Logger;

  constructor(call: Call, request: CheckedRequest, notes: ResponseHeaders, log: Logger) {
    this.call = call;
    this.request = request;
    this.notes = notes;
    this.log = log;
  }

  /** Who calls, as far as the connection tells. */
  sender(): Pick<RequestVisitor, "requestId" | "address" | "userAgent"> {
    const { incoming } = this.request;
    const { address, userAgent } = incoming.sender();
    return { requestId: incoming.id, address, userAgent };
  }

  /** Tells the log, where it is kept that closely, how many places or states a look-up found. */
  found(found: number): void {
    if (!this.log.isLevelEnabled("debug")) return;
    const { operation, responseForm: answer } = this.call;
    const { id: requestId } = this.request.incoming;
    this.log.debug({ requestId, operation, binding: answer.binding, found }, "looked up");
  }

  /** Who is behind the call. */
  visitor(): RequestVisitor {
    return readVisitor(this.request);
  }

  /** Has the answer, once it is given, change the caller's cookie. */
  changeCookie(change: SetCookie): void {
    this.notes.changeCookie(change);
  }

  /** Has the answer say when to try again, in seconds. */
  retryAfter(seconds: number): void {
    this.notes.retryAfter(seconds);
  }
}
