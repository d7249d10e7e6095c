import type { Transaction } from "kysely";
import { createPageRequestTables } from "./0001-page-requests.ts";
import { createLogInTables } from "./0002-log-in.ts";
import { createPlaceOverrideTables } from "./0003-place-overrides.ts";
import { createAccountImportTables } from "./0004-account-imports.ts";
import { createRetentionTables } from "./0005-retention.ts";
import type { Dialect } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/** A change of the schema. One that was ever released is not edited: a further one follows. */
export interface Migration {
  readonly name: string;
  readonly run: (transaction: Transaction<Tables>, dialect: Dialect) => Promise<void>;
}

/** All changes in their order; the first has version 1. */
export const migrations: readonly Migration[] = [
  { name: "page-requests", run: createPageRequestTables },
  { name: "log-in", run: createLogInTables },
  { name: "place-overrides", run: createPlaceOverrideTables },
  { name: "account-imports", run: createAccountImportTables },
  { name: "retention", run: createRetentionTables },
];
