/** An account as a file of another system has it, ready to be stored. */
export interface ImportedAccount {
  readonly recordId: bigint;
  readonly contactId: bigint;
  readonly userName: string;
  /** Stored until a password is set here; null where {@link needsHash} says that it stays. */
  readonly hash: { readonly record: string; readonly form: string } | null;
  /** Tell whether the hash was imported before: keyed, the current key first. */
  readonly fingerprints: readonly [string, ...string[]];
  /** null where the file does not say. */
  readonly isEnabled: boolean | null;
}

/** An account of the database that a file has too. */
export interface KnownAccount {
  readonly recordId: bigint;
  readonly contactId: bigint;
  readonly userName: string;
  readonly isEnabled: boolean;
  /** null where the account did not come from an import. */
  readonly imported: {
    readonly fingerprint: string;
    /** As the file said at that time. */
    readonly isEnabled: boolean | null;
    /** True where another password has been set here since. */
    readonly isPasswordOurs: boolean;
  } | null;
}

/** Changes that an import makes to an account that is there. */
export interface AccountChanges {
  readonly hash: boolean;
  readonly userName: boolean;
  readonly contactId: boolean;
  /** Its new state; null where that stays. */
  readonly isEnabled: boolean | null;
}

/** Why an account of a file was not imported. */
export type ImportConflict =
  | { readonly kind: "name-taken"; readonly recordId: bigint }
  | { readonly kind: "not-imported" }
  | { readonly kind: "password-set-here" };

/** The result for one account of a file. */
export type AccountImportOutcome =
  | { readonly kind: "added" }
  | { readonly kind: "changed"; readonly changes: AccountChanges }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly conflict: ImportConflict };

/** Options of an import. */
export interface ImportMode {
  /** True where the file wins over what was changed here since, or did not come from an import. */
  readonly isOverwriting: boolean;
  readonly isDryRun: boolean;
  readonly nowMs: number;
}

/**
 * Decides what becomes of an account of a file. What was changed here since the last import stays,
 * so that the same file changes nothing (decision 0035).
 *
 * @param known the account of the same record id.
 * @param namesake record id of the account that has the name.
 */
export function decideImport(
  account: ImportedAccount,
  known: KnownAccount | null,
  namesake: bigint | null,
  isOverwriting: boolean,
): AccountImportOutcome {
  if (namesake !== null && namesake !== account.recordId) {
    return refused({ kind: "name-taken", recordId: namesake });
  }
  if (known === null) return { kind: "added" };
  const { imported } = known;
  if (imported === null && !isOverwriting) return refused({ kind: "not-imported" });
  const isSameHash = imported !== null && account.fingerprints.includes(imported.fingerprint);
  const isOurs = imported === null || imported.isPasswordOurs;
  if (!isSameHash && isOurs && !isOverwriting) return refused({ kind: "password-set-here" });
  const changes: AccountChanges = {
    hash: !isSameHash || (isOurs && isOverwriting),
    userName: account.userName !== known.userName,
    contactId: account.contactId !== known.contactId,
    isEnabled: decideEnabled(account, known, isOverwriting),
  };
  const isChanged =
    changes.hash || changes.userName || changes.contactId || changes.isEnabled !== null;
  return isChanged ? { kind: "changed", changes } : { kind: "unchanged" };
}

/** True where an import stores the hash of an account. */
export function needsHash(outcome: AccountImportOutcome | undefined): boolean {
  return outcome?.kind === "added" || (outcome?.kind === "changed" && outcome.changes.hash);
}

function refused(conflict: ImportConflict): AccountImportOutcome {
  return { kind: "refused", conflict };
}

/** A state counts only if the file changed it: one that was set here stays. */
function decideEnabled(
  { isEnabled }: ImportedAccount,
  known: KnownAccount,
  isOverwriting: boolean,
): boolean | null {
  if (isEnabled === null || isEnabled === known.isEnabled) return null;
  const before = known.imported?.isEnabled ?? true;
  return isOverwriting || isEnabled !== before ? isEnabled : null;
}
