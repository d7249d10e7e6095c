import { settings } from "@wfh/server/server/settings/settings.ts";
import type { Setting } from "@wfh/server/server/settings/value-types.ts";

/** The document of all settings, from the table that the server reads them by. */
export function renderSettingsDocument(): string {
  const rows = Object.values<Setting<unknown>>(settings).map(
    ({ variable, defaultText, description, allowed }) =>
      `| \`${variable}\` | ${defaultText === "" ? "none" : `\`${defaultText}\``} | ${description} | ${allowed} |`,
  );
  return `# Settings

Written by \`npm run derive\` from \`packages/server/src/server/settings/settings.ts\`; do not edit.

A setting is an environment variable, or the same key in a TOML file that \`--config FILE\` or
\`WFH_CONFIG\` names. The environment takes precedence over the file. All settings are validated at
start. If any is invalid, the server does not start: the error lists each key, its value (unless it
is secret) and what is allowed. Every command checks the settings in the same way, and exits with
code 78 if they are invalid.

A misspelled \`WFH_\` variable is an error that suggests the right name. Other unknown \`WFH_\`
variables in the environment only cause a warning, since orchestrators set variables of their own.
In a file, every unknown key is an error.

| variable | default | description | allowed |
| --- | --- | --- | --- |
${rows.join("\n")}

A settings file is flat: it has no tables such as \`[server]\`. Only settings with several values take an array.
It has at most 256 KiB.

\`\`\`toml
WFH_HOST = "0.0.0.0"
WFH_PORT = 8080
WFH_BASE_URL = "https://forms.example.org"
WFH_COUNTRY_PRECEDENCE = ["US", "CA"]
\`\`\`
`;
}
