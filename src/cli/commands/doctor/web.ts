import { isThisMachine } from "../../../server/cors/cors-policy.ts";
import { TrustedProxies } from "../../../server/http/trusted-proxies.ts";
import { type Config, settings } from "../../../server/settings/settings.ts";
import type { FormOrigin } from "../../../store/inspection.ts";
import { isExposed } from "../../io/origin.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** How long nginx, HAProxy and cloud load balancers keep an idle connection at most, in milliseconds. */
const proxyKeepAliveMs = 60_000;

const useTls = "put HTTPS in front (docs/operating.md) and set WFH_BASE_URL=https://<public name>";

const readers: Readonly<Record<Config["helpPages"] | Config["metrics"], string>> = {
  on: "everyone who can reach the server",
  admin: "callers of the admin listener only",
  off: "no one",
};

/** Checks what decides over cookies and access: the public address, proxies and origins. */
export function* checkWeb(config: Config, formOrigins: readonly FormOrigin[]): Generator<Finding> {
  yield checkAddress(config);
  yield* checkNamespaces(config);
  yield ok(
    "help-pages",
    `The pages of the server are for ${readers[config.helpPages]}: WFH_HELP_PAGES=${config.helpPages}.`,
  );
  yield checkMetrics(config);
  yield checkAdminListener(config);
  yield* checkProxies(config);
  yield* checkOrigins(config, formOrigins);
  for (const form of formOrigins) yield* checkSite(config.baseUrl, form);
}

/** Browsers keep the cookie of log-ins over HTTPS only, except from their own machine (decision 0025). */
function checkAddress({ baseUrl, trustedProxies, host }: Config): Finding {
  const check = "public-address";
  const risk = "passwords can be read on the way, and browsers keep no cookie.";
  if (baseUrl?.startsWith("https:")) {
    const text = `The public address is ${baseUrl}: cookies of log-ins are Secure, and are kept.`;
    return ok(check, text);
  }
  if (baseUrl !== undefined && isExposed(baseUrl)) {
    return warning(check, `The public address ${baseUrl} is plain HTTP: ${risk}`, useTls);
  }
  if (trustedProxies.length > 0) {
    const text =
      "No public address is set: the proxies of WFH_TRUSTED_PROXIES say by X-Forwarded-Proto what came over HTTPS.";
    return ok(check, text);
  }
  if (isThisMachine(host)) {
    const text = "It is reached from this machine only, over plain HTTP: good for development.";
    return ok(check, text);
  }
  return warning(check, `It listens on ${host} without HTTPS: ${risk}`, useTls);
}

/** Old clients send the namespaces of the old server, which are rarely the defaults of ASP.NET. */
function* checkNamespaces(config: Config): Generator<Finding> {
  if (config.baseUrl === undefined || isThisMachine(new URL(config.baseUrl).host)) return;
  const untouched = (["locationNamespace", "endpointNamespace"] as const)
    .filter((name) => config[name] === settings[name].defaultText)
    .map((name) => settings[name].variable);
  if (untouched.length === 0) return;
  yield warning(
    "namespaces",
    `${untouched.join(" and ")}: still http://tempuri.org/, though the server is public. SOAP calls of clients that know other namespaces are refused.`,
    "set them to the targetNamespace in the ?wsdl of the old server; ignore this if that is http://tempuri.org/",
  );
}

/** Metrics show how busy a site is, and when it is attacked (decisions 0040 and 0051). */
function checkMetrics(config: Config): Finding {
  const { metrics, metricsToken, host, baseUrl, trustedProxies } = config;
  if (metrics !== "on" || metricsToken !== "") {
    const shown = metrics === "on" ? " with the token" : "";
    return ok("metrics", `/metrics is for ${readers[metrics]}${shown}: WFH_METRICS=${metrics}.`);
  }
  const isReached = baseUrl !== undefined || trustedProxies.length > 0 || !isThisMachine(host);
  if (!isReached) return ok("metrics", "/metrics is open on this machine: WFH_METRICS=on.");
  return warning(
    "metrics",
    `Everyone who can reach ${baseUrl ?? (isThisMachine(host) ? "the proxy" : host)} can read /metrics: WFH_METRICS=on without a token.`,
    "set WFH_METRICS_TOKEN to what openssl rand -hex 32 writes; or WFH_METRICS=admin with WFH_ADMIN_PORT",
  );
}

/** Its callers count as the operator (decision 0051). */
function checkAdminListener({ adminHost, adminPort }: Config): Finding {
  if (adminPort === "off") {
    return ok("admin-listener", "There is no admin listener: WFH_ADMIN_PORT=off.");
  }
  if (isThisMachine(adminHost)) {
    return ok("admin-listener", `The admin listener is for this machine only, at ${adminHost}.`);
  }
  return warning(
    "admin-listener",
    `Everyone who can reach ${adminHost} counts as the operator: metrics, and forms of log-in.`,
    "WFH_ADMIN_HOST=127.0.0.1, or a firewall that lets only operators reach that port",
  );
}

function* checkProxies(config: Config): Generator<Finding> {
  const { trustedProxies, baseUrl, host, keepAliveTimeoutMs } = config;
  const check = "trusted-proxies";
  try {
    new TrustedProxies(config);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "name addresses or networks such as 127.0.0.1 or 10.0.0.0/8";
    yield problem(check, `WFH_TRUSTED_PROXIES cannot be used: ${reason}.`, fix);
    return;
  }
  if (trustedProxies.some((proxy) => proxy.endsWith("/0"))) {
    yield problem(
      check,
      "WFH_TRUSTED_PROXIES trusts the whole world: any client can invent addresses, and limits for networks are void.",
      "name the addresses of your proxies, for example WFH_TRUSTED_PROXIES=127.0.0.1",
    );
  }
  const isBehindProxy = trustedProxies.length > 0 || baseUrl?.startsWith("https:") === true;
  if (!isBehindProxy) return;
  if (trustedProxies.length === 0) {
    const address = isThisMachine(host) ? "127.0.0.1" : "<address of the proxy>";
    yield warning(
      check,
      "No proxy is trusted, so all visitors seem to come from one address: a few wrong passwords lock everyone out.",
      `WFH_TRUSTED_PROXIES=${address}, and let the proxy set X-Forwarded-For and X-Forwarded-Proto`,
    );
  }
  const kept = `Connections are kept for ${keepAliveTimeoutMs} ms`;
  yield keepAliveTimeoutMs > proxyKeepAliveMs
    ? ok("keep-alive", `${kept}, longer than proxies keep theirs.`)
    : warning(
        "keep-alive",
        `${kept}: a proxy that keeps them for longer (nginx: 60 s) meets closed ones and responds with 502.`,
        "WFH_KEEP_ALIVE_TIMEOUT_MS=65000",
      );
}

function* checkOrigins(
  { allowedOrigins, baseUrl }: Config,
  formOrigins: readonly FormOrigin[],
): Generator<Finding> {
  const exposed = allowedOrigins.filter(isExposed);
  if (exposed.length > 0) {
    yield warning(
      "allowed-origins",
      `WFH_ALLOWED_ORIGINS has pages over plain HTTP, which can be changed on the way: ${exposed.join(", ")}.`,
      "list their https:// origins",
    );
  }
  for (const { formId, origin } of formOrigins.filter((form) => isExposed(form.origin))) {
    yield warning(
      "form-origins",
      `Form ${formId} has pages over plain HTTP, from which passwords can be read on the way: ${origin}.`,
      `wfh forms set ${formId} --origin ${origin.replace("http:", "https:")}`,
    );
  }
  const listed = [...allowedOrigins, ...formOrigins.map(({ origin }) => origin)];
  const secure = listed.find((origin) => origin.startsWith("https:"));
  if (secure !== undefined && baseUrl !== undefined && isExposed(baseUrl)) {
    const text = `Browsers do not let pages of ${secure} call ${baseUrl} over plain HTTP.`;
    yield problem("mixed-content", text, useTls);
  }
}

/** Browsers send a cookie within one site only, unless the form is embedded in others (decision 0025). */
function* checkSite(
  baseUrl: string | undefined,
  { formId, origin, remembering, sameSite }: FormOrigin,
): Generator<Finding> {
  if (baseUrl === undefined || remembering === "off" || sameSite === "none") return;
  if (siteOf(baseUrl) === siteOf(origin)) return;
  yield warning(
    "form-site",
    `Form ${formId} remembers visitors, but its pages at ${origin} are on another site than ${baseUrl}: browsers will not send the cookie.`,
    `wfh forms set ${formId} --same-site none; or give the server a name below the same domain`,
  );
}

/** The last two labels of a host, which addresses of one site have in common. */
function siteOf(address: string): string {
  const { hostname } = new URL(address);
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".");
}
