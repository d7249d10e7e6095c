import { readFileSync } from "node:fs";

/** The version of this program, for example `"0.2.0"`. */
export function readVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
