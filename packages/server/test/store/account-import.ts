import assert from "node:assert/strict";
import type {
  AccountChanges,
  AccountImportOutcome,
  ImportedAccount,
  ImportMode,
} from "../../src/domain/log-in/accounts/account-import.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { undoAfter12 } from "./earlier-schema.ts";
import type { Engine } from "./engines.ts";
import { brief, briefEvents, goodLogIn, listAll, newAccount, openLogIn } from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, openOffice, openTestStore } from "./sample.ts";

const mode: ImportMode = { isOverwriting: false, isDryRun: false, nowMs: arrivalMs };
const int64Max = 9_223_372_036_854_775_807n;
const int64Min = -9_223_372_036_854_775_808n;

/** An account of a file, apart from what is given. */
function imported(given: Partial<ImportedAccount> = {}): ImportedAccount {
  return {
    recordId: 1n,
    contactId: 51n,
    userName: "Ada",
    hash: { record: "wrapped-1", form: "wrapped" },
    fingerprints: ["print-1"],
    isEnabled: null,
    ...given,
  };
}

const nothing: AccountChanges = {
  hash: false,
  userName: false,
  contactId: false,
  isEnabled: null,
};

function changed(changes: Partial<AccountChanges>): AccountImportOutcome {
  return { kind: "changed", changes: { ...nothing, ...changes } };
}

/** Effects of imports on accounts. */
export function describeImports(engine: Engine): void {
  onDatabase(engine, "brings accounts in once, with every id", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    const file = [
      imported({ recordId: int64Max, contactId: int64Min }),
      imported({ recordId: int64Min, contactId: int64Max, userName: "Bob", isEnabled: false }),
      imported({ recordId: 9_007_199_254_740_993n, userName: "Straße", isEnabled: true }),
    ];
    const added: AccountImportOutcome = { kind: "added" };
    assert.deepEqual(await office.importAccounts(file, mode), [added, added, added]);
    const unchanged: AccountImportOutcome = { kind: "unchanged" };
    const again = await office.importAccounts(file, mode);
    assert.deepEqual(again, [unchanged, unchanged, unchanged]);
    const lines = await listAll(office);
    assert.deepEqual(
      lines.map(({ recordId, contactId, userName, isEnabled, hashForm }) => {
        return [recordId, contactId, userName, isEnabled, hashForm];
      }),
      [
        [int64Min, int64Max, "Bob", false, "wrapped"],
        [9_007_199_254_740_993n, 51n, "Straße", true, "wrapped"],
        [int64Max, int64Min, "Ada", true, "wrapped"],
      ],
    );
    assert.equal((await office.findAccount("strasse"))?.hash, "wrapped-1");
    const events = Array<string>(3).fill("account-added import");
    assert.deepEqual(await briefEvents(office), events);
    await close();
  });
}

/** Facts that imports leave alone. */
export function describeRepeatedImports(engine: Engine): void {
  onDatabase(engine, "an import leaves what was done here alone", async ({ url }) => {
    const { office, logIn, close } = await openLogIn(url);
    const file = [imported(), imported({ recordId: 2n, userName: "Bob" })];
    await office.importAccounts(file, mode);
    const ada = await office.findAccount("ada");
    assert.ok(ada !== null);
    await logIn.complete(goodLogIn(ada, { newHash: { record: "own", form: "current" } }));
    await office.setPassword(2n, { record: "set here", form: "current" }, arrivalMs);
    const before = await listAll(office);
    const again = await office.importAccounts(file, mode);
    assert.deepEqual(
      again.map(({ kind }) => kind),
      ["unchanged", "unchanged"],
    );
    assert.deepEqual(await listAll(office), before);

    const newer = file.map((account) => ({
      ...account,
      hash: { record: "wrapped-2", form: "wrapped" },
      fingerprints: ["print-2"] as const,
    }));
    assert.deepEqual(await office.importAccounts(newer, mode), [
      changed({ hash: true }),
      { kind: "refused", conflict: { kind: "password-set-here" } },
    ]);
    assert.equal((await office.findAccount("bob"))?.hash, "set here");
    const found = await office.findAccount("ada");
    assert.deepEqual([found?.hash, found?.epoch], ["wrapped-2", 1]);
    assert.equal((await logIn.findSession("selector-1"))?.isAccountGood, false);
    const overwriting = { ...mode, isOverwriting: true };
    const overwritten = await office.importAccounts(newer, overwriting);
    assert.deepEqual(overwritten, [{ kind: "unchanged" }, changed({ hash: true })]);
    assert.equal((await office.findAccount("bob"))?.hash, "wrapped-2");
    const last = await office.importAccounts(newer, overwriting);
    assert.deepEqual(last, [{ kind: "unchanged" }, { kind: "unchanged" }]);
    await close();
  });
}

/** Facts that imports change, and those that they must not. */
export function describeImportChanges(engine: Engine): void {
  onDatabase(engine, "an import takes newer names, contacts and states over", async ({ url }) => {
    const { office, logIn, close } = await openLogIn(url);
    await office.importAccounts([imported()], mode);
    const ada = await office.findAccount("ada");
    assert.ok(ada !== null);
    await logIn.complete(goodLogIn(ada));
    const newer = imported({ userName: "Ada L.", contactId: 52n });
    const both = changed({ userName: true, contactId: true });
    assert.deepEqual(await office.importAccounts([newer], mode), [both]);
    assert.equal((await office.findAccount("ada l."))?.contactId, 52n);
    assert.equal(await office.findAccount("ada"), null);
    assert.notEqual((await logIn.findSession("selector-1"))?.endedAtMs, null);
    const locked = { ...newer, isEnabled: false };
    await office.importAccounts([locked], mode);
    assert.equal((await office.findAccount("ada l."))?.isEnabled, false);
    await office.setEnabled(1n, true, arrivalMs);
    assert.deepEqual(await office.importAccounts([locked], mode), [{ kind: "unchanged" }]);
    const events = await office.listEvents({ recordId: 1n, fromMs: null, max: 99 });
    assert.deepEqual(events.map(brief), [
      "account-added import",
      "logged-in",
      "account-changed import",
      "session-ended revoked",
      "account-disabled import",
      "account-enabled",
    ]);
    await close();
  });

  onDatabase(engine, "an import refuses what others have, and brings the rest", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    await office.addAccount(newAccount(), arrivalMs);
    const file = [
      imported(),
      imported({ recordId: 2n, userName: " ａDA" }),
      imported({ recordId: 3n, userName: "Bob" }),
    ];
    const outcomes: readonly AccountImportOutcome[] = [
      { kind: "refused", conflict: { kind: "not-imported" } },
      { kind: "refused", conflict: { kind: "name-taken", recordId: 1n } },
      { kind: "added" },
    ];
    const dry = await office.importAccounts(file, { ...mode, isDryRun: true });
    assert.deepEqual(dry, outcomes);
    assert.equal((await listAll(office)).length, 1);
    assert.deepEqual(await office.importAccounts(file, mode), outcomes);
    assert.deepEqual(
      (await listAll(office)).map(({ recordId, hashForm }) => [recordId, hashForm]),
      [
        [1n, "form-1"],
        [3n, "wrapped"],
      ],
    );
    await close();
  });

  onDatabase(engine, "an import that fails leaves nothing behind", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    const file = [imported(), imported({ recordId: 2n, userName: "Bob" }), imported()];
    await assert.rejects(office.importAccounts(file, mode), /unique/i);
    assert.deepEqual(await listAll(office), []);
    assert.deepEqual(await briefEvents(office), []);
    await close();
  });
}

/** Hashes that are computed before the transaction, and databases that have others. */
export function describeImportedHashes(engine: Engine): void {
  onDatabase(engine, "an import needs hashes only where it stores them", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    const planned = { ...mode, isDryRun: true };
    const unhashed = imported({ hash: null });
    assert.deepEqual(await office.importAccounts([unhashed], planned), [{ kind: "added" }]);
    await assert.rejects(office.importAccounts([unhashed], mode), {
      name: "AdministrationError",
      message: /^Account 1 was changed by another command during the import/,
    });
    assert.deepEqual(await listAll(office), []);
    await office.importAccounts([imported()], mode);
    const renamed = { ...unhashed, userName: "Eve" };
    assert.deepEqual(await office.importAccounts([renamed], mode), [changed({ userName: true })]);
    assert.equal((await office.findAccount("eve"))?.hash, "wrapped-1");
    await close();
  });

  onDatabase(
    engine,
    "a database with hashes that an earlier version sealed is not upgraded",
    async ({ url, query }) => {
      const { office, close } = await openLogIn(url);
      await office.importAccounts([imported(), imported({ recordId: 2n, userName: "Bob" })], mode);
      await close();
      await query("UPDATE accounts SET hash_form = 'bcrypt/c=10+sealed' WHERE record_id = 2");
      for (const statement of undoAfter12) await query(statement);
      await query("DELETE FROM schema_migrations WHERE version > 11");
      const refusal = {
        name: "StoreError",
        message: /: 1 of its accounts have .* sealed\. Run wfh accounts wrap of the version before/,
      };
      await assert.rejects(openTestStore(url), refusal);
      await assert.rejects(openOffice(url), refusal);
      await assert.rejects(openAdmin(url), refusal);
      const [row] = await query("SELECT max(version) AS version FROM schema_migrations");
      assert.equal(Number(row?.["version"]), 11);
      await query("UPDATE accounts SET hash_form = 'wrapped'");
      await (await openOffice(url)).close();
    },
  );
}
