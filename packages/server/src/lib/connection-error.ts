import { messageOf } from "./file-error.ts";

/**
 * Explains why a server gave no response, or not all of it, and what to do. Sentences that go
 * behind its address, so the first begins in lower case.
 *
 * @param cause as `node:http` and `fetch` throw it.
 */
export function describeConnectionError(cause: unknown): string {
  // fetch has the reason one level below.
  const { cause: reason = cause } = cause instanceof Error ? cause : {};
  const message = messageOf(reason);
  const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
  const tls = describeTlsError(code, message);
  if (tls !== undefined) return tls;
  if (code.startsWith("HPE_")) return `what it sent is not HTTP (${message}).`;
  if (code.startsWith("Z_")) return `the response could not be read (${message}).`;
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the host name is not known here. Check the address.";
    case "ECONNREFUSED":
      return "nothing responds there. Check the address, and whether the server runs.";
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "it cannot be reached. Check the network and its proxy.";
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return "it closed the connection before its response was complete.";
    default:
      return `${message}.`;
  }
}

/** Why there is no secure connection; undefined for an error of another kind. */
function describeTlsError(code: string, message: string): string | undefined {
  // A connection that is written to before the alert comes has the alert in its message alone.
  const [, reason = message.split("\n")[0]] = /SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  const isOld = /UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|ALERT_PROTOCOL_VERSION/.test(code);
  if (isOld || /alert protocol version|unsupported protocol/.test(message)) {
    return "the server speaks only TLS 1.0 or 1.1, which is not safe, and refused by default. Use its http address from a machine beside it, or allow it for this command: NODE_OPTIONS='--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0'.";
  }
  if (!/CERT|SIGNATURE|ERR_SSL|EPROTO/.test(code)) return undefined;
  return `no secure connection (${reason}). For a certificate of your own, set NODE_EXTRA_CA_CERTS.`;
}
