import { settings } from "../../src/server/settings/settings.ts";
import type { Setting } from "../../src/server/settings/value-types.ts";

/** The document of all settings, from the table that the server reads them by. */
export function renderSettingsDocument(): string {
  const rows = Object.values<Setting<unknown>>(settings).map(
    ({ variable, defaultText, description, allowed }) =>
      `| \`${variable}\` | ${defaultText === "" ? "none" : `\`${defaultText}\``} | ${description} | ${allowed} |`,
  );
  return `# Settings

Written by \`npm run derive\` from \`src/server/settings/settings.ts\`; do not edit.

Every setting is an environment variable, or the same key in a TOML file that \`--config FILE\` or
\`WFH_CONFIG\` names. The environment wins over the file. All are validated at start: an error names
the key, its value (not of those that are secret) and what is allowed, and the server does not start.
Every command checks the settings in the same way and ends with exit code 2 when they cannot be used.

A misspelled \`WFH_\` variable is an error that names the right one. Other unknown \`WFH_\` variables of the
environment only cause a warning, since orchestrators set variables of their own. In a file every unknown key is an error.

| variable | default | description | allowed |
| --- | --- | --- | --- |
${rows.join("\n")}

A settings file is flat: it has no tables such as \`[server]\`. Only settings with several values take an array.

\`\`\`toml
WFH_HOST = "0.0.0.0"
WFH_PORT = 8080
WFH_BASE_URL = "https://forms.example.org"
WFH_COUNTRY_PRECEDENCE = ["US", "CA"]
\`\`\`
`;
}
