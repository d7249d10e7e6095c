import { randomBytes } from "node:crypto";
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
  /** The body, or what reads one that has not arrived. Reading throws a Fault when the body is too long or ends early. */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
}

/** Random bytes fetched at once, enough for 683 ids: a system call for each would cost more than the id. */
const batchBytes = 4_098;
/** Hex digits of an id after the prefix: 48 random bits, which do not reveal how many requests there were. */
const idDigits = 12;

/** Creates a generator of request ids that begin with a prefix. */
export function createRequestIds(prefix: string): () => string {
  let batch = "";
  let at = 0;
  return () => {
    if (at === batch.length) {
      batch = randomBytes(batchBytes).toString("hex");
      at = 0;
    }
    at += idDigits;
    return prefix + batch.slice(at - idDigits, at);
  };
}
