import { pageRequestTables } from "./0001-page-requests.ts";
import { logInTables } from "./0002-log-in.ts";
import { placeOverrideTables } from "./0003-place-overrides.ts";
import { accountImportTables } from "./0004-account-imports.ts";
import { retentionTables } from "./0005-retention.ts";
import { eventKeyColumns } from "./0006-event-keys.ts";
import type { Migration } from "./migration.ts";

/** All changes in their order; the first has version 1. */
export const migrations: readonly Migration[] = [
  { name: "page-requests", statements: pageRequestTables },
  { name: "log-in", statements: logInTables },
  { name: "place-overrides", statements: placeOverrideTables },
  { name: "account-imports", statements: accountImportTables },
  { name: "retention", statements: retentionTables },
  { name: "event-keys", statements: eventKeyColumns },
];
