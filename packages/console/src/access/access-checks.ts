import { type Checks, ok, problem, warning } from "@wfh/server/lib/check.ts";
import { toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import type { SecretKey } from "@wfh/server/secrets/secret-keys.ts";
import { isExposed, isThisMachine } from "@wfh/server/server/cors/cors-policy.ts";
import { get } from "@wfh/server/server/probe.ts";
import { SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { ListedOperator } from "./operator.ts";
import { doctorHeader, doctorMarkOf, readProxySecret } from "./proxy-header.ts";
import type { Token } from "./tokens.ts";

/** Settings and rows that decide who may use the console. */
export interface AccessState {
  readonly config: Config;
  readonly nowMs: number;
  /** Of this server; null where it cannot be read. */
  readonly key: SecretKey | null;
  /** null where the database cannot be read, or is older. */
  readonly readers: {
    readonly operators: readonly ListedOperator[];
    readonly tokens: readonly Token[];
  } | null;
}

const newSecret = "openssl rand -hex 32, in a file that only the server's user can read";

/** Responses without a log-in: 303 and 403 of this server, others of an authenticating proxy. */
const refusals = [302, 303, 401, 403];

/** Checks of the operator's page, of operators and tokens, and of the header of a proxy. */
export const accessChecks: Checks<AccessState> = {
  "operator-page": ({ config: { operatorPage, adminPort, host, baseUrl }, readers }) => {
    const isInClear = baseUrl === undefined ? !isThisMachine(host) : isExposed(baseUrl);
    if (operatorPage === "on" && isInClear) {
      return warning(
        `Operators log in at ${baseUrl ?? host} over plain HTTP: their passwords can be read in transit.`,
        "WFH_OPERATOR_PAGE=admin, or put HTTPS in front and set WFH_BASE_URL (docs/configure.md)",
      );
    }
    if (operatorPage === "admin" && adminPort === "off" && readers?.operators.length) {
      return warning(
        "The operator's page cannot be reached: WFH_OPERATOR_PAGE=admin and WFH_ADMIN_PORT=off.",
        "WFH_ADMIN_PORT=8081 (docs/operator.md)",
      );
    }
    return ok(
      `The operator's page has WFH_OPERATOR_PAGE=${operatorPage} and WFH_ADMIN_PORT=${adminPort}.`,
    );
  },

  operators: ({ config: { operatorProxyHeader }, readers }) => {
    if (readers === null) return null;
    const { operators } = readers;
    if (operators.length === 0) {
      return ok(
        "There are no operators, so no log-in is possible. Add one with wfh operators add.",
      );
    }
    const shut = operators.find((one) => !one.isPasswordSet && operatorProxyHeader === "");
    if (shut === undefined) return ok(`Operators who may log in: ${operators.length}.`);
    return warning(
      `Operator ${toPrintable(shut.name)} has no password, and no proxy logs operators in.`,
      `wfh operators passwd ${toShellWord(shut.name)}, or set WFH_OPERATOR_PROXY_HEADER`,
    );
  },

  tokens: ({ readers, nowMs }) =>
    (readers?.tokens ?? [])
      .filter(({ endsAtMs }) => endsAtMs <= nowMs)
      .map(({ name }) =>
        warning(
          `Token ${toPrintable(name)} has ended: programs that send it are refused.`,
          `wfh tokens remove ${toShellWord(name)}, and wfh tokens add for a new one`,
        ),
      ),

  "proxy-secret": ({ config: { operatorProxyHeader, operatorProxySecretFile: file } }) => {
    if (file === "") return null;
    try {
      readProxySecret(file);
    } catch (cause) {
      if (!(cause instanceof SettingsError)) throw cause;
      return problem(`${cause.message}.`, `make the secret anew: ${newSecret}`);
    }
    if (operatorProxyHeader !== "") {
      return ok(`${operatorProxyHeader} counts with the secret of WFH_OPERATOR_PROXY_SECRET_FILE.`);
    }
    return warning(
      "WFH_OPERATOR_PROXY_SECRET_FILE has no effect: no header is read.",
      "set WFH_OPERATOR_PROXY_HEADER, or unset both",
    );
  },

  "proxy-header": ({ config }) => {
    const { operatorProxyHeader: header, operatorProxySecretFile, adminHost, adminPort } = config;
    if (header === "" || operatorProxySecretFile !== "") return null;
    if (adminPort === "off") {
      return warning(
        `${header} never counts: there is no secret, and the admin listener is off.`,
        `WFH_OPERATOR_PROXY_SECRET_FILE: ${newSecret}`,
      );
    }
    if (isThisMachine(adminHost)) return ok(`${header} counts at the admin listener only.`);
    return problem(
      `Everyone who can reach the admin listener at ${adminHost} is the operator whose name they send as ${header}.`,
      `WFH_OPERATOR_PROXY_SECRET_FILE: ${newSecret}; or WFH_ADMIN_HOST=127.0.0.1`,
    );
  },

  // As a visitor could send it: through the public proxy, which passes it on or takes it away.
  "forged-header": async ({ config: { operatorProxyHeader: header, baseUrl }, key, readers }) => {
    const name = readers?.operators[0]?.name;
    if (header === "" || baseUrl === undefined || name === undefined) return null;
    const forged = { [header]: Buffer.from(name).toString("latin1") };
    const headers = key === null ? forged : { ...forged, [doctorHeader]: doctorMarkOf(key) };
    const page = `${baseUrl}/operator`;
    const overHttps = page.replace(/^http:/, "https:");
    let response = await get(page, headers);
    if (response?.location === overHttps) response = await get(overHttps, headers);
    if (response?.status === 200) {
      return problem(
        `A forged ${header}, sent through ${baseUrl}, is believed: every visitor can be operator ${toPrintable(name)}.`,
        `let the proxy of ${baseUrl} remove ${header} and X-Wfh-Proxy-Secret from what visitors send (docs/operator.md), and set another secret`,
      );
    }
    if (response !== null && refusals.includes(response.status)) {
      return ok(`A forged ${header}, sent through ${baseUrl}, is not believed.`);
    }
    const found = response === null ? "does not respond" : `responds with ${response.status}`;
    return warning(
      `${baseUrl} ${found}, so whether it believes a forged ${header} is not known.`,
      "run doctor again where WFH_BASE_URL can be reached, while the server runs",
    );
  },
};
