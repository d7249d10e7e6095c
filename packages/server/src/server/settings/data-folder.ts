import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Config } from "./settings.ts";

/** Names of the files of a server whose settings name none. */
const databaseName = "web-forms-helper.db";
const keyName = "web-forms-helper.key";
/** Name of the file that imports write. */
export const gazetteerName = "web-forms-helper.gazetteer";

type DataSettings = Pick<Config, "dataDir" | "databaseUrl" | "keyFile">;

/** Path of the key file; by default next to a SQLite file, else in the folder of data. */
export function keyFileOf({ dataDir, databaseUrl, keyFile }: DataSettings): string {
  if (keyFile !== "") return keyFile;
  return databaseUrl.startsWith("sqlite:")
    ? `${databaseUrl.slice("sqlite:".length)}.key`
    : join(dataDir, keyName);
}

/**
 * Finds the folder of the files that no setting names: that of WFH_DATA_DIR, else of systemd, else
 * of the user's state. Where an earlier version has left them, that is the working directory, and
 * `notice` says so. `dataDir` is `""` where the settings name all files.
 *
 * @param environment has STATE_DIRECTORY, and XDG_STATE_HOME of the XDG Base Directory
 * Specification, where they are set.
 */
export function placeData(
  settings: DataSettings & Pick<Config, "gazetteer">,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const { databaseUrl, keyFile } = settings;
  const isKey = databaseUrl !== "" && !databaseUrl.startsWith("sqlite:") && keyFile === "";
  if (databaseUrl !== "" && !isKey) return { dataDir: settings.dataDir, databaseUrl };
  const usual = settings.dataDir || findUsual(environment);
  const main = isKey ? keyName : databaseName;
  // Postal codes that were imported before the first start; others may be forgotten ones.
  const hasImport = settings.gazetteer === "" && existsSync(gazetteerName);
  const isLeft =
    settings.dataDir === "" && (existsSync(main) || (hasImport && !existsSync(join(usual, main))));
  const dataDir = isLeft ? "." : usual;
  const isNoticed = isLeft && resolve(usual) !== resolve();
  const notice = `The files web-forms-helper.* in ${resolve()} are used, where earlier versions made them. Move them to ${usual}, or set WFH_DATA_DIR to the folder where they are.`;
  return {
    dataDir,
    databaseUrl: databaseUrl || `sqlite:${join(dataDir, databaseName)}`,
    ...(isNoticed && { notice }),
  };
}

function findUsual({
  STATE_DIRECTORY: units = "",
  XDG_STATE_HOME: state = "",
}: Readonly<Record<string, string | undefined>>): string {
  // A unit may have several, of which the first is its own.
  const [unit] = units.split(":");
  const home = isAbsolute(state) ? state : join(homedir(), ".local/state");
  return unit || join(home, "web-forms-helper");
}
