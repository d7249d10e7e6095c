/** URI of a service's namespace, in characters that XML, settings and the log need not escape. */
export const namespacePattern = /^[a-zA-Z][a-zA-Z0-9+.-]*:[!#-%(-;=?-~]+$/;
