import { readFileSync } from "node:fs";
import { programFolder } from "../lib/program-folder.ts";

/** The version of this program: `"0.2.0"`, or between releases `"0.3.0-dev+82975cd7"`. */
export function readVersion(): string {
  const { version, gitHead = "" } = readManifest();
  return version.includes("-") && gitHead !== "" ? `${version}+${gitHead.slice(0, 8)}` : version;
}

/** Facts of `package.json`; its author is written as `"Name <address>"`. */
export function readManifest(): {
  readonly version: string;
  readonly author: string;
  readonly gitHead?: string;
} {
  return JSON.parse(readFileSync(new URL("package.json", programFolder), "utf8"));
}
