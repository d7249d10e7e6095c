/** Who reads the requests of a connection (decision 0039). */
type Reader = "direct" | "node_http";

/** Why bytes were no request. */
type BadRequestReason = "malformed" | "too_large" | "late" | "gone";

/** Code of a connection on which too many requests wait for their answers, beside those of Node.js. */
export const tooManyWaiting = "TOO_MANY_WAITING";

const reasons: Readonly<Record<string, BadRequestReason>> = {
  HPE_HEADER_OVERFLOW: "too_large",
  [tooManyWaiting]: "too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "late",
  ECONNRESET: "gone",
  EPIPE: "gone",
};

/** Connections that are too many. */
export interface Rebalance {
  readonly connections: number;
  /** So many are no longer too many: others may have ended meanwhile. */
  readonly kept: number;
}

/** What happens at the connections of a server. */
export class ConnectionTracker {
  /** Requests by who read them. */
  readonly read: Record<Reader, number> = { direct: 0, node_http: 0 };
  /** Bytes that were no request, by why. */
  readonly bad: Record<BadRequestReason, number> = { malformed: 0, too_large: 0, late: 0, gone: 0 };
  /** Connections that were closed at once, because there were too many. */
  dropped = 0;
  /** Errors that nothing else has caught. */
  bugs = 0;
  /** True once the server is going down. */
  isDraining = false;
  /** Connections that are still to be ended, each with an answer, because another process has more room; never below `kept`. */
  surplus: Rebalance = { connections: 0, kept: 0 };
  /** Open connections; none before the server listens. */
  countConnections: () => Promise<Readonly<Record<Reader, number>>> = () =>
    Promise.resolve({ direct: 0, node_http: 0 });

  /** Whether the connection that is answered now, one of so many, is to be ended; it is one less then. */
  shouldRebalance(open: number): boolean {
    const { connections, kept } = this.surplus;
    if (connections === 0 || open <= kept) return false;
    this.surplus = { connections: connections - 1, kept };
    return true;
  }

  /** Counts bytes that are no request, by the code of Node's error. */
  countBad(code: string): void {
    this.bad[reasons[code] ?? "malformed"] += 1;
  }
}
