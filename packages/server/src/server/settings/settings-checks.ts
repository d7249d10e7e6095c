import { type Checks, ok, problem, warning } from "../../lib/check.ts";
import { isThisMachine } from "../cors/cors-policy.ts";
import { type readConfig, SettingsError } from "./config.ts";
import { type Config, settings } from "./settings.ts";

/** Limits for a part of a request, each with that for the whole. */
const limits = [
  ["headTimeoutMs", "requestTimeoutMs"],
  ["targetBytesMax", "headBytesMax"],
] as const;

/** Checks of the settings by themselves. */
export const settingsChecks: Checks<ReturnType<typeof readConfig>> = {
  "settings-valid": ({ config, isSet }) => {
    const changed = Object.entries(settings)
      .filter(([name, { variable, parse, defaultText }]) => {
        const value = config[name as keyof Config];
        return isSet(variable) && JSON.stringify(value) !== JSON.stringify(parse(defaultText));
      })
      .map(([, { variable }]) => variable);
    return ok(
      changed.length === 0
        ? "All settings have their default values."
        : `All settings are valid; changed from the default: ${changed.join(", ")}.`,
    );
  },

  "settings-known": ({ warnings }) =>
    warnings.map((line) => {
      const fix = "correct or remove it; docs/settings.md lists all settings";
      return warning(line, fix);
    }),

  "settings-agree": ({ config }) =>
    limits.map(([part, whole]) => {
      const { variable } = settings[part];
      const text = `${variable} is ${config[part]}, more than the whole may have (${settings[whole].variable}, ${config[whole]}).`;
      return config[part] > config[whole] && warning(text, `${variable}=${config[whole]} or less`);
    }),

  // Old clients send the namespaces of the old server, which are rarely the defaults of ASP.NET.
  namespaces: ({ config: { baseUrl }, isSet }) => {
    if (baseUrl === undefined || isThisMachine(new URL(baseUrl).host)) return null;
    const { locationNamespace, endpointNamespace } = settings;
    const variables = [locationNamespace, endpointNamespace].map(({ variable }) => variable);
    const unset = variables.filter((variable) => !isSet(variable));
    if (unset.length === 0) return null;
    return warning(
      `${unset.join(" and ")}: not set, although the server is public. SOAP calls with other namespaces than http://tempuri.org/ are refused.`,
      "set each to the targetNamespace in the ?wsdl of the old server, also if that is http://tempuri.org/",
    );
  },
};

/** Checks of the log-in cookies of the old server. */
export const legacyCookieChecks: Checks<{
  readonly config: Config;
  /** Throws a SettingsError when they cannot be used: a start is refused. */
  readonly open: () => Promise<{ names: readonly string[]; untilMs: number } | undefined>;
}> = {
  "legacy-cookies": async ({ config: { legacyMachineKeyFile, legacyCookieUntil }, open }) => {
    if (legacyMachineKeyFile === "" && legacyCookieUntil === undefined) return null;
    try {
      const cookies = await open();
      if (cookies === undefined) return null;
      if (cookies.untilMs > Date.now()) {
        return ok(`Log-in cookies of the old server are accepted: ${cookies.names.join(" and ")}.`);
      }
      const fix = "unset WFH_LEGACY_MACHINE_KEY_FILE and WFH_LEGACY_COOKIE_UNTIL, delete the file";
      return warning("Log-in cookies of the old server are accepted no more.", fix);
    } catch (cause) {
      if (!(cause instanceof SettingsError)) throw cause;
      return problem(`${cause.message}.`, "correct it, or unset both");
    }
  },
};
