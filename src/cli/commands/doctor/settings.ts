import { readConfig, SettingsError } from "../../../server/settings/config.ts";
import { type Config, settings } from "../../../server/settings/settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/**
 * Reads and checks the settings, and looks for contradictions. Shows no values, except of a setting that cannot be used
 * and is no secret; then `config` is null.
 */
export function checkSettings(file: string | undefined): {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
} {
  try {
    const { config, warnings } = readConfig(file);
    return { config, findings: [...describeSettings(config, warnings)] };
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    const fix = "correct it; docs/settings.md lists all settings. Nothing else was checked";
    const findings = cause.message
      .split("\n")
      .map((line) => problem("settings-valid", toSentence(line), fix));
    return { config: null, findings };
  }
}

function* describeSettings(config: Config, warnings: readonly string[]): Generator<Finding> {
  const changed = Object.entries(settings)
    .filter(([name, { parse, defaultText }]) => {
      const value = config[name as keyof Config];
      return JSON.stringify(value) !== JSON.stringify(parse(defaultText));
    })
    .map(([, { variable }]) => variable);
  const text =
    changed.length === 0
      ? "All settings have their default values."
      : `All settings can be used; other than by default: ${changed.join(", ")}.`;
  yield ok("settings-valid", text);
  for (const line of warnings) {
    const fix = "correct or remove it; docs/settings.md lists all settings";
    yield warning("settings-known", toSentence(line), fix);
  }
  const { headTimeoutMs, requestTimeoutMs, targetBytesMax, headBytesMax } = config;
  if (headTimeoutMs > requestTimeoutMs) {
    yield warning(
      "settings-agree",
      `WFH_HEAD_TIMEOUT_MS is ${headTimeoutMs}, longer than the whole request may take (WFH_REQUEST_TIMEOUT_MS, ${requestTimeoutMs}).`,
      `WFH_HEAD_TIMEOUT_MS=${requestTimeoutMs} or less`,
    );
  }
  if (targetBytesMax > headBytesMax) {
    yield warning(
      "settings-agree",
      `WFH_TARGET_BYTES_MAX is ${targetBytesMax}, more than all headers together may have (WFH_HEAD_BYTES_MAX, ${headBytesMax}).`,
      `WFH_TARGET_BYTES_MAX=${headBytesMax} or less`,
    );
  }
}

function toSentence(line: string): string {
  return line.replace(/[^.?]$/, "$&.");
}
