import { resolve } from "node:path";

/** Where a database is, as it may be shown: without a password. */
export type DatabaseAddress =
  | { readonly engine: "SQLite"; readonly file: string; readonly shown: string }
  | { readonly engine: "PostgreSQL"; readonly shown: string };

/** Takes the address of the settings apart; paths are relative to the working directory. */
export function addressOf(url: string): DatabaseAddress {
  if (url.startsWith("sqlite:")) {
    const file = resolve(url.slice("sqlite:".length));
    return { engine: "SQLite", file, shown: file };
  }
  const parsed = URL.parse(url);
  const shown =
    parsed === null ? "postgres://…" : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return { engine: "PostgreSQL", shown };
}
