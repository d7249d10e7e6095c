import type { TableColumns } from "../../../rows/columns.ts";

/** Columns of a file of accounts. */
const names = {
  recordId: ["Record_Id", "Record", "Id"],
  contactId: ["Contact_Id", "Contact"],
  userName: ["UserName", "Name", "LoginName", "Login"],
  hash: ["PasswordHash", "Hash", "Password"],
  salt: ["PasswordSalt", "Salt"],
  kind: ["Kind", "HashKind", "PasswordKind"],
  format: ["PasswordFormat"],
  algorithm: ["Algorithm", "HashAlgorithm", "PasswordAlgorithm", "Prf"],
  iterations: ["Iterations", "PasswordIterations", "IterationCount", "Rounds"],
  isEnabled: ["IsEnabled", "Enabled", "IsActive", "Active"],
  isDisabled: ["IsDisabled", "Disabled"],
  isApproved: ["IsApproved", "Approved"],
  isLockedOut: ["IsLockedOut", "LockedOut"],
  lockoutEnabled: ["LockoutEnabled"],
  lockoutEnd: ["LockoutEnd", "LockoutEndDateUtc", "LockoutEndDate"],
} as const;

/** Meaning of a column of a file of accounts. */
export type AccountField = keyof typeof names;

/** The columns of a file of accounts. */
export const accountColumns: TableColumns<AccountField> = {
  names,
  required: ["recordId", "userName", "hash"],
  others: "ignore",
};
