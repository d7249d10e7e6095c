/** Who reads the requests of a connection (decision 0039). */
export type Reader = "direct" | "node_http";

/** Why bytes were not a request. */
type BadRequestReason = "malformed" | "too_large" | "late" | "gone";

/** Our own error code, beside those of Node.js: too many requests of a connection wait for their responses. */
export const tooManyWaiting = "TOO_MANY_WAITING";

const reasons: Readonly<Record<string, BadRequestReason>> = {
  HPE_HEADER_OVERFLOW: "too_large",
  [tooManyWaiting]: "too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "late",
  ECONNRESET: "gone",
  EPIPE: "gone",
};

/** What happened at the connections of a server; the metrics read it. */
export class ConnectionTracker {
  /** Requests by reader. */
  readonly read: Record<Reader, number> = { direct: 0, node_http: 0 };
  /** Inputs that were not a request. */
  readonly bad: Record<BadRequestReason, number> = { malformed: 0, too_large: 0, late: 0, gone: 0 };
  /** Connections closed at once, because WFH_CONNECTIONS_MAX were open. */
  dropped = 0;
  /** Errors that nothing else caught. */
  bugs = 0;
  /** True once the server is shutting down: connections are then closed after their response. */
  isDraining = false;
  /** Counts open connections; set when the server listens. */
  countConnections: () => Promise<Readonly<Record<Reader, number>>> = () =>
    Promise.resolve({ direct: 0, node_http: 0 });

  /** Counts input that was not a request, by the code of Node's error. */
  countBad(code: string): void {
    this.bad[reasons[code] ?? "malformed"] += 1;
  }
}
