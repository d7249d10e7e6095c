import assert from "node:assert/strict";
import { test } from "node:test";
import { decideImport, type ImportedAccount, type KnownAccount } from "./account-import.ts";

const account: ImportedAccount = {
  recordId: 1n,
  contactId: 5n,
  userName: "Ada",
  hash: { record: "new", form: "form" },
  fingerprints: ["now", "earlier"],
  isEnabled: null,
};
const imported = { fingerprint: "now", isEnabled: null, isPasswordOurs: false };
const known: KnownAccount = {
  recordId: 1n,
  contactId: 5n,
  userName: "Ada",
  isEnabled: true,
  imported,
};
const nothing = { hash: false, userName: false, contactId: false, isEnabled: null };

/** The file's account, the known one, and the outcome without and with `--overwrite`. */
const table: readonly {
  readonly rule: string;
  readonly says?: Partial<ImportedAccount>;
  readonly has: Partial<KnownAccount> | null;
  readonly becomes: unknown;
  readonly overwritten?: unknown;
}[] = [
  { rule: "a new account is added", has: null, becomes: "added" },
  { rule: "the same again is unchanged", has: {}, becomes: "unchanged" },
  {
    rule: "the same under an older key is unchanged",
    has: { imported: { ...imported, fingerprint: "earlier" } },
    becomes: "unchanged",
  },
  {
    rule: "a password that was set here stays",
    has: { imported: { ...imported, isPasswordOurs: true } },
    becomes: "unchanged",
    overwritten: { ...nothing, hash: true },
  },
  {
    rule: "a newer hash replaces an imported one",
    has: { imported: { ...imported, fingerprint: "other" } },
    becomes: { ...nothing, hash: true },
  },
  {
    rule: "a newer hash is refused where a password was set here",
    has: { imported: { ...imported, fingerprint: "other", isPasswordOurs: true } },
    becomes: "password-set-here",
    overwritten: { ...nothing, hash: true },
  },
  {
    rule: "an account that no import brought is refused",
    has: { imported: null },
    becomes: "not-imported",
    overwritten: { ...nothing, hash: true },
  },
  {
    rule: "another spelling of the name and another contact are taken over",
    has: { userName: "ada", contactId: 6n },
    becomes: { ...nothing, userName: true, contactId: true },
  },
  {
    rule: "an account is disabled where the file says so for the first time",
    says: { isEnabled: false },
    has: {},
    becomes: { ...nothing, isEnabled: false },
  },
  {
    rule: "who was enabled here stays so while the file says the same as before",
    says: { isEnabled: false },
    has: { imported: { ...imported, isEnabled: false } },
    becomes: "unchanged",
    overwritten: { ...nothing, isEnabled: false },
  },
  {
    rule: "who was disabled here stays so while the file says the same as before",
    says: { isEnabled: true },
    has: { isEnabled: false, imported: { ...imported, isEnabled: true } },
    becomes: "unchanged",
    overwritten: { ...nothing, isEnabled: true },
  },
  {
    rule: "who was disabled by the file is enabled when it says so",
    says: { isEnabled: true },
    has: { isEnabled: false, imported: { ...imported, isEnabled: false } },
    becomes: { ...nothing, isEnabled: true },
  },
  {
    rule: "what the file does not say stays",
    has: { isEnabled: false },
    becomes: "unchanged",
  },
];

function briefly(given: ImportedAccount, has: KnownAccount | null, isOverwriting: boolean) {
  const outcome = decideImport(given, has, has === null ? null : has.recordId, isOverwriting);
  if (outcome.kind === "changed") return outcome.changes;
  return outcome.kind === "refused" ? outcome.conflict.kind : outcome.kind;
}

for (const { rule, says, has, becomes, overwritten = becomes } of table) {
  test(`of an import, ${rule}`, () => {
    const given = { ...account, ...says };
    const found = has === null ? null : { ...known, ...has };
    assert.deepEqual(briefly(given, found, false), becomes);
    assert.deepEqual(briefly(given, found, true), overwritten);
  });
}

test("of an import, a name that another account has is refused, whatever is overwritten", () => {
  for (const [found, isOverwriting] of [
    [null, false],
    [known, true],
  ] as const) {
    assert.deepEqual(decideImport(account, found, 9n, isOverwriting), {
      kind: "refused",
      conflict: { kind: "name-taken", recordId: 9n },
    });
  }
});
