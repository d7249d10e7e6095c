import { readFileSync } from "node:fs";
import { programFolder } from "../lib/program-folder.ts";

/** The version of this program, for example `"0.2.0"`. */
export function readVersion(): string {
  const manifest = readFileSync(new URL("package.json", programFolder), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
