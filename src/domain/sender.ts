/** Who sends a request, as far as the connection tells. */
export interface Sender {
  /** Id of the HTTP request, as the log has it. */
  readonly requestId: string;
  /** IPv4 or IPv6 address; null where it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}
