import { type Columns, createColumns } from "../../columns.ts";

/** What columns of a file of accounts may be called; case, blanks, `_` and `-` do not count. */
const accountColumns = {
  recordId: ["recordid", "record", "id"],
  contactId: ["contactid", "contact"],
  userName: ["username", "name", "loginname", "login"],
  hash: ["passwordhash", "hash", "password"],
  salt: ["passwordsalt", "salt"],
  kind: ["kind", "hashkind", "passwordkind"],
  format: ["passwordformat"],
  algorithm: ["algorithm", "hashalgorithm", "passwordalgorithm", "prf"],
  iterations: ["iterations", "passworditerations", "iterationcount", "rounds"],
  isEnabled: ["isenabled", "enabled", "isactive", "active"],
  isDisabled: ["isdisabled", "disabled"],
  isApproved: ["isapproved", "approved"],
  isLockedOut: ["islockedout", "lockedout"],
  lockoutEnabled: ["lockoutenabled"],
  lockoutEnd: ["lockoutend", "lockoutenddateutc", "lockoutenddate"],
} as const;

/** What a column of a file of accounts means. */
export type AccountField = keyof typeof accountColumns;

/** Fields that a file of accounts cannot do without, with the name of a column for each. */
export const requiredAccountFields: readonly {
  readonly field: AccountField;
  readonly column: string;
}[] = [
  { field: "recordId", column: "Record_Id" },
  { field: "userName", column: "UserName" },
  { field: "hash", column: "PasswordHash" },
];

/** Reads the columns of one file of accounts. */
export function createAccountColumns(): Columns<AccountField> {
  return createColumns<AccountField>(accountColumns);
}
