/** Why there is no secure connection to an old server, and what to do; undefined for an error of another kind. */
export function describeTlsError(
  code: string,
  message: string,
): { readonly problem: string; readonly remedy: string } | undefined {
  // A connection that is written to before the alert comes has the alert in its message alone.
  const [, reason = message.split("\n")[0]] = /SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  const isOld = /SSL_(?:UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|\w*ALERT_PROTOCOL_VERSION)/.test(
    code,
  );
  if (isOld || /alert protocol version|unsupported protocol/.test(message)) {
    return {
      problem: "the server speaks only TLS 1.0 or 1.1, which is not safe, and refused by default.",
      remedy:
        "Use its http address from a machine beside it, or allow it for this command: NODE_OPTIONS='--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0'.",
    };
  }
  if (!/CERT|SIGNATURE|ERR_SSL|EPROTO/.test(code)) return undefined;
  return {
    problem: `no secure connection (${reason}).`,
    remedy: "For a certificate of your own, set NODE_EXTRA_CA_CERTS.",
  };
}
