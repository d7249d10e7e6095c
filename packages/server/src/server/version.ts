import { readFileSync } from "node:fs";
import { programFolder } from "../lib/program-folder.ts";

/** The version of this program: `"0.2.0"`, or between releases `"0.3.0-dev+82975cd7"`. */
export function readVersion(): string {
  const text = readFileSync(new URL("package.json", programFolder), "utf8");
  const { version, gitHead = "" } = JSON.parse(text) as { version: string; gitHead?: string };
  return version.includes("-") && gitHead !== "" ? `${version}+${gitHead.slice(0, 8)}` : version;
}
