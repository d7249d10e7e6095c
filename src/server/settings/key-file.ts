import type { Config } from "./settings.ts";

/** Where the key of the server is, when no setting says it: beside a SQLite file; else in the working directory. */
export function keyFileOf({
  keyFile,
  databaseUrl,
}: Pick<Config, "keyFile" | "databaseUrl">): string {
  if (keyFile !== "") return keyFile;
  return databaseUrl.startsWith("sqlite:")
    ? `${databaseUrl.slice("sqlite:".length)}.key`
    : "./web-forms-helper.key";
}
