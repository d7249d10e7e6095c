import { readConfig, SettingsError } from "../../../server/settings/config.ts";
import { type Config, settings } from "../../../server/settings/settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/**
 * Reads the settings and looks at each, and at those that contradict each other. Values are not shown, except of one
 * that cannot be used and is no secret; `config` is null then.
 */
export function checkSettings(file: string | undefined): {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
} {
  try {
    const { config, warnings } = readConfig(file);
    const changed = Object.entries(settings)
      .filter(([name, { parse, defaultText: fallback }]) => {
        const value = config[name as keyof Config];
        return JSON.stringify(value) !== JSON.stringify(parse(fallback));
      })
      .map(([, { variable }]) => variable);
    const text =
      changed.length === 0
        ? "All settings have their default values."
        : `All settings can be used; other than by default: ${changed.join(", ")}.`;
    const strays = warnings.map((stray) =>
      warning(
        "settings-known",
        stray.replace(/[^.?]$/, "$&."),
        "correct or remove it; docs/settings.md lists all settings",
      ),
    );
    return {
      config,
      findings: [ok("settings-valid", text), ...strays, ...checkContradictions(config)],
    };
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    const fix = "correct it; docs/settings.md lists all settings. Nothing else was checked";
    return {
      config: null,
      findings: cause.message
        .split("\n")
        .map((line) => problem("settings-valid", line.replace(/[^.?]$/, "$&."), fix)),
    };
  }
}

function checkContradictions(config: Config): readonly Finding[] {
  const { headTimeoutMs, requestTimeoutMs, targetBytesMax, headBytesMax } = config;
  const findings: Finding[] = [];
  if (headTimeoutMs > requestTimeoutMs) {
    const text = `WFH_HEAD_TIMEOUT_MS is ${headTimeoutMs}, longer than the whole request may take (WFH_REQUEST_TIMEOUT_MS, ${requestTimeoutMs}).`;
    findings.push(
      warning("settings-agree", text, `WFH_HEAD_TIMEOUT_MS=${requestTimeoutMs} or less`),
    );
  }
  if (targetBytesMax > headBytesMax) {
    const text = `WFH_TARGET_BYTES_MAX is ${targetBytesMax}, more than all headers together may have (WFH_HEAD_BYTES_MAX, ${headBytesMax}).`;
    findings.push(warning("settings-agree", text, `WFH_TARGET_BYTES_MAX=${headBytesMax} or less`));
  }
  return findings;
}
