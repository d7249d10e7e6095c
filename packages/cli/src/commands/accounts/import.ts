import { randomBytes } from "node:crypto";
import { constants, getPriority, setPriority } from "node:os";
import { countOf } from "@wfh/server/lib/printable.ts";
import { createFingerprints } from "@wfh/server/secrets/imported-hash.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { fingerprintsOf } from "@wfh/server/secrets/secret-keys.ts";
import { hashConcurrencyOf } from "@wfh/server/server/settings/config.ts";
import { type AdminContext, administer, withImportContext } from "../../io/admin-context.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { RejectedRows } from "../../io/rejected-rows.ts";
import { addImportFile, type ImportFileOptions, importRows } from "../../io/row-import.ts";
import { findConfiguredKeys, readConfiguredKeys } from "../../io/secret-keys.ts";
import { readSettings } from "../../io/settings.ts";
import { openInput } from "../../io/terminal.ts";
import { Table } from "../../rows/csv-table.ts";
import { accountFileColumns, type ImportKind, importKinds } from "./account-row.ts";
import { AccountImporter, type RejectedAccount } from "./importer.ts";

interface ImportOptions extends ImportFileOptions {
  readonly hash?: ImportKind;
  readonly overwrite?: boolean;
  readonly withoutHash?: "legacy";
  readonly rejects?: string;
}

const help = `
Examples:
  wfh accounts import users.csv --dry-run   count hashes by kind and list rejected rows
  wfh accounts import users.csv.gz --rejects rejected.ndjson
                                            import, and save rejected rows to a file
  wfh accounts import members.csv --hash aspnet-membership-hmacsha256
                                            specify the kind of the hashes
  sqlcmd … | wfh accounts import - --quiet  import from a pipe

Columns are recognized by these names. Case, spaces, underscores and hyphens are ignored.
  Record_Id, Record, Id                     record ID returned to callers
  Contact_Id, Contact                       contact ID (default: the record ID)
  UserName, Name, LoginName, Login          user name, case-insensitive
  PasswordHash, Hash, Password              hash of the password
  PasswordSalt, Salt; Iterations, Rounds; Algorithm, HashAlgorithm, Prf
                                            parameters of the hash, if stored separately
  Kind, HashKind                            kind of the hash, as for --hash
  PasswordFormat                            1 (hashed); 0 (clear) and 2 (encrypted) are no hashes
  IsEnabled, IsActive, IsApproved, IsDisabled, IsLockedOut
                                            whether the account may log in
  LockoutEnabled, LockoutEnd, LockoutEndDateUtc
                                            a permanent lockout disables the account
IDs are 64-bit integers. NULL, as exported by SQL Server, means empty. Hashes of ASP.NET Identity,
bcrypt, Argon2id and SHA-1 of ASP.NET Membership are detected. Others need a Kind column or --hash.

With --without-hash legacy, accounts without a usable hash are imported too. The old server verifies
their first log-in (WFH_LEGACY_LOGIN_URL), and the password is then hashed here.

You can import the same file again: nothing changes, even if users have logged in or changed their
passwords. A newer hash in the file replaces an imported one. If the password was changed on this
server, the row is rejected unless you use --overwrite.

Each hash is hashed with Argon2id before it is stored, which takes about 15 ms of CPU time at low
priority: about two hours for 1,000,000 accounts on two cores. Import days before you switch; at the
switch only what changed is hashed. Ctrl+C stops after the current batch; run the same command again
to continue. Users can log in as soon as their row is imported.

Exit codes: 0 all rows imported, 1 some rows rejected, 2 invalid options, 69 cannot read the file
or use the database, 78 invalid settings, 130 interrupted.
`;

/** `wfh accounts import` imports accounts with the hashes of an old system (decision 0035). */
export const declareImportAccounts: DeclareCommand = (accounts) => {
  const command = accounts
    .command("import")
    .description("Import accounts with their IDs and password hashes from an old system");
  addImportFile(command)
    .choice("--hash <kind>", "kind of all hashes in the file", importKinds)
    .option("--overwrite", "replace accounts with the data in the file, even if changed here")
    .choice("--without-hash <who>", "verifier of accounts without a usable hash", ["legacy"])
    .option("--rejects <file>", "file to write rejected rows to, without their hashes")
    .addHelpText("after", help)
    .run(importAccounts);
};

function importAccounts(
  file: string,
  options: ImportOptions,
  { terminal }: Command,
): Promise<number> {
  // Threads of the pool, which do the hashing, begin with it: the server's work goes first.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  const { withoutHash } = options;
  const required = accountFileColumns.required.filter((name) => name !== "hash" || !withoutHash);
  const columns = { ...accountFileColumns, required };
  const table = new Table(openInput(file, terminal), columns, options.format);
  const config = readSettings(options.config, terminal);
  const rejected = new RejectedRows<RejectedAccount>(options.rejects, [file], config);
  return withImportContext(config, options, terminal, async ({ database, admin }) => {
    const isDryRun = admin === null;
    // A dry run makes no key: without one nothing was imported yet, and any will do.
    const keys = isDryRun
      ? (findConfiguredKeys(config) ?? ([{ id: "unknown", bytes: randomBytes(32) }] as const))
      : readConfiguredKeys(config);
    // With another key all hashes would be taken for newer ones.
    await admin?.database.nodes.checkKey(fingerprintsOf(keys));
    const importer = new AccountImporter({
      rejected,
      kind: options.hash ?? null,
      fingerprintsOf: createFingerprints(keys),
      hashing: new PasswordHasher({ hashesAtOnce: hashConcurrencyOf(config) }),
      database,
      withoutHash,
      isOverwriting: options.overwrite === true,
      isDryRun,
    });
    return importRows(importer, { tables: [table], rejected, options, terminal });
  });
}

const forgetHelp = `
The database stores a fingerprint of each imported hash, so that importing the same file again
changes nothing. An attacker with both the key and the database could use it to test guesses of
passwords. Delete the fingerprints once the old system is shut down.

This cannot be undone. Log-ins work as before. Later imports reject these accounts unless you use
--overwrite, which replaces their passwords with those in the file.
`;

/** `wfh accounts forget-imports` (decision 0035). */
export const declareForgetImports: DeclareCommand = (accounts) =>
  accounts
    .command("forget-imports")
    .description("Delete the fingerprints of imported hashes, once the old system is shut down")
    .shared("config")
    .addHelpText("after", forgetHelp)
    .run(administer(forgetImports));

async function forgetImports({ administration, terminal }: AdminContext): Promise<void> {
  const count = await administration.forgetImports();
  terminal.out(
    `Deleted the fingerprints of ${countOf(count, "account")}. Log-ins work as before. Later imports reject these accounts unless you use --overwrite.\n`,
  );
}
