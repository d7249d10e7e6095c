import { readProxySecret } from "@wfh/console/access/proxy-header.ts";
import { type CheckResult, toRefusal } from "@wfh/server/lib/check.ts";
import { checkNewFolder } from "@wfh/server/lib/file-checks.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { checkPort } from "@wfh/server/server/http/machine-checks.ts";
import { makeDataDir } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { exitCodes } from "../../io/exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";
import { checkInstallation } from "../doctor/areas.ts";

/**
 * Checks what a start needs beside valid settings: database, postal codes, keys and ports. Makes
 * nothing, and prints each problem with its fix. Resolves to the exit code.
 *
 * @throws {SettingsError} when the proxy's secret or WFH_DATA_DIR cannot be used.
 */
export async function checkStart(config: Config, terminal: Terminal): Promise<number> {
  const { operatorProxySecretFile: secretFile } = config;
  if (secretFile !== "") readProxySecret(secretFile);
  makeDataDir(config, checkNewFolder);
  const findings = [
    ...(await checkInstallation(config, ["database", "postal-codes", "keys"])),
    ...(await checkPorts(config)),
  ];
  const problems = findings.filter(({ level }) => level === "problem");
  for (const found of problems) terminal.err(`${toPrintable(toRefusal(found))}.\n`);
  if (problems.length > 0) return exitCodes.config;
  terminal.out("The server can start with these settings.\n");
  return exitCodes.done;
}

/** Checks the ports; a server of this program that has one is the one to be restarted. */
async function checkPorts({
  host,
  port,
  adminHost,
  adminPort,
}: Config): Promise<readonly CheckResult[]> {
  const found = [await checkPort(host, port)];
  if (adminPort !== "off") found.push(await checkPort(adminHost, adminPort));
  return found.filter((result) => result !== "taken by a server");
}
