import type { HttpHead } from "../../bindings/http.ts";

/** A request whose head has arrived, without its connection. */
export interface IncomingRequest {
  /** Names the request in the log and in the X-Request-Id of the response. */
  readonly id: string;
  readonly head: HttpHead;
  /** Whether it arrived at the admin listener, whose callers count as the operator (decision 0051). */
  readonly isAdmin: boolean;
  /** Address at the other end of the connection; undefined when the connection is gone. */
  readonly peer: string | undefined;
  /**
   * The body, or what reads one that has not arrived. Reading throws a Fault when the body is too long or ends early.
   */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
}
