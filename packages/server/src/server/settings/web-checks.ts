import { type CheckResult, type Checks, ok, problem, warning } from "../../lib/check.ts";
import { isExposed, isThisMachine } from "../cors/cors-policy.ts";
import type { Config } from "./settings.ts";

/** Longest time that proxies keep an idle connection, in milliseconds. */
const proxyKeepAliveMs = 60_000;

const useTls = "put HTTPS in front (docs/configure.md) and set WFH_BASE_URL=https://<public name>";

const readers: Readonly<Record<Config["helpPages"] | Config["metrics"], string>> = {
  on: "everyone who can reach the server",
  admin: "callers of the admin listener only",
  off: "no one",
};

interface Web {
  readonly config: Config;
  /** Origins of forms in the database, with what decides over their cookies. */
  readonly formOrigins: readonly Readonly<
    Record<"origin" | "remembering" | "sameSite", string> & { formId: bigint }
  >[];
}

/** Checks of the public address, proxies and origins, which decide over cookies and access. */
export const webChecks: Checks<Web> = {
  "public-address": ({ config }) => checkAddress(config),

  "help-pages": ({ config: { helpPages } }) =>
    ok(`The server's pages are for ${readers[helpPages]}: WFH_HELP_PAGES=${helpPages}.`),

  // Metrics show how busy a site is, and when it is attacked (decisions 0040 and 0051).
  metrics: ({ config: { metrics, metricsToken, host, baseUrl, trustedProxies } }) => {
    if (metrics !== "on" || metricsToken !== "") {
      const shown = metrics === "on" ? " with the token" : "";
      return ok(`/metrics is for ${readers[metrics]}${shown}: WFH_METRICS=${metrics}.`);
    }
    const isReached = baseUrl !== undefined || trustedProxies.length > 0 || !isThisMachine(host);
    if (!isReached) return ok("/metrics is open on this machine: WFH_METRICS=on.");
    return warning(
      `Everyone who can reach ${baseUrl ?? (isThisMachine(host) ? "the proxy" : host)} can read /metrics: WFH_METRICS=on without a token.`,
      "set WFH_METRICS_TOKEN to the output of openssl rand -hex 32; or WFH_METRICS=admin with WFH_ADMIN_PORT",
    );
  },

  // Its callers count as the operator (decision 0051).
  "admin-listener": ({ config: { adminHost, adminPort } }) => {
    if (adminPort === "off") return ok("The admin listener is off: WFH_ADMIN_PORT=off.");
    if (isThisMachine(adminHost)) {
      return ok(`The admin listener is for this machine only, at ${adminHost}.`);
    }
    return warning(
      `Everyone who can reach ${adminHost} counts as the operator: metrics, and log-in forms.`,
      "WFH_ADMIN_HOST=127.0.0.1, or a firewall that lets only operators reach that port",
    );
  },

  "trusted-proxies": ({ config }) => {
    const { trustedProxies, host } = config;
    if (trustedProxies.some((proxy) => proxy.endsWith("/0"))) {
      return problem(
        "WFH_TRUSTED_PROXIES trusts every address: any client can invent addresses, and limits per network have no effect.",
        "name the addresses of your proxies, for example WFH_TRUSTED_PROXIES=127.0.0.1",
      );
    }
    if (!isBehindProxy(config) || trustedProxies.length > 0) return null;
    const address = isThisMachine(host) ? "127.0.0.1" : "<address of the proxy>";
    return warning(
      "No proxy is trusted, so all visitors seem to come from one address: a few wrong passwords lock everyone out.",
      `WFH_TRUSTED_PROXIES=${address}, and let the proxy set X-Forwarded-For and X-Forwarded-Proto`,
    );
  },

  "keep-alive": ({ config }) => {
    if (!isBehindProxy(config)) return null;
    const idle = `Idle connections are kept for ${config.keepAliveTimeoutMs} ms`;
    return config.keepAliveTimeoutMs > proxyKeepAliveMs
      ? ok(`${idle}, longer than proxies keep theirs.`)
      : warning(
          `${idle}: a proxy that keeps them longer (nginx: 60 s) finds them closed and responds with 502.`,
          "WFH_KEEP_ALIVE_TIMEOUT_MS=65000; ignore this if the proxy closes them earlier, as with keepalive_timeout in examples/nginx-nodes.conf",
        );
  },

  "allowed-origins": ({ config }) => {
    const exposed = config.allowedOrigins.filter(isExposed);
    if (exposed.length === 0) return null;
    const text = `WFH_ALLOWED_ORIGINS has pages over plain HTTP, which can be changed in transit: ${exposed.join(", ")}.`;
    return warning(text, "list their https:// origins");
  },

  "form-origins": ({ formOrigins }) =>
    formOrigins
      .filter(({ origin }) => isExposed(origin))
      .map(({ formId, origin }) =>
        warning(
          `Form ${formId} has pages over plain HTTP, from which passwords can be read in transit: ${origin}.`,
          `wfh forms set ${formId} --origin ${origin.replace("http:", "https:")}`,
        ),
      ),

  "mixed-content": ({ config: { allowedOrigins, baseUrl }, formOrigins }) => {
    const listed = [...allowedOrigins, ...formOrigins.map(({ origin }) => origin)];
    const secure = listed.find((origin) => origin.startsWith("https:"));
    if (secure === undefined || baseUrl === undefined || !isExposed(baseUrl)) return null;
    return problem(
      `Browsers do not let pages of ${secure} call ${baseUrl} over plain HTTP.`,
      useTls,
    );
  },

  // Browsers send a cookie within one site only, unless it has SameSite=None (decision 0025).
  "form-site": ({ config: { baseUrl }, formOrigins }) =>
    formOrigins.map(({ formId, origin, remembering, sameSite }) => {
      if (baseUrl === undefined || remembering === "off" || sameSite === "none") return null;
      if (siteOf(baseUrl) === siteOf(origin)) return null;
      return warning(
        `Form ${formId} remembers visitors, but its pages at ${origin} are on another site than ${baseUrl}: browsers will not send the cookie.`,
        `wfh forms set ${formId} --same-site none; or give the server a name below the same domain`,
      );
    }),
};

/** Browsers keep log-in cookies over HTTPS only, except from their own machine (decision 0025). */
export function checkAddress({ baseUrl, trustedProxies, host }: Config): CheckResult {
  const risk = "passwords can be read in transit, and browsers do not keep the cookie.";
  if (baseUrl?.startsWith("https:")) {
    return ok(
      `The public address is ${baseUrl}: log-in cookies are Secure, and browsers keep them.`,
    );
  }
  if (baseUrl !== undefined && isExposed(baseUrl)) {
    return warning(`The public address ${baseUrl} is plain HTTP: ${risk}`, useTls);
  }
  if (trustedProxies.length > 0) {
    const address = baseUrl ? `The public address is ${baseUrl}` : "No public address is set";
    return ok(
      `${address}: X-Forwarded-Proto of WFH_TRUSTED_PROXIES says which requests came over HTTPS.`,
    );
  }
  if (isThisMachine(host)) {
    return ok("Only this machine can reach it, over plain HTTP: good for development.");
  }
  return warning(`It listens on ${host} without HTTPS: ${risk}`, useTls);
}

function isBehindProxy({ trustedProxies, baseUrl }: Config): boolean {
  return trustedProxies.length > 0 || baseUrl?.startsWith("https:") === true;
}

/** The last two labels of a host, which addresses of one site have in common. */
function siteOf(address: string): string {
  const { hostname } = new URL(address);
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".");
}
