import { parseHashForm } from "../../../secrets/hash-record.ts";
import { HashSealing } from "../../../secrets/imported-hash.ts";
import { PasswordHasher } from "../../../secrets/password-hashing.ts";
import { hashConcurrencyOf } from "../../../server/settings/config.ts";
import type { OpenAdministration } from "../../../store/store.ts";
import { type AdminContext, administer } from "../../admin-context.ts";
import type { DeclareCommand, SharedOptions } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { countOf, renderJsonLine } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import { interruptible } from "../../io/terminal.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";

/** Hashes of one transaction: a second or two of work on two cores, which is what an interruption costs. */
const batchSize = 200;

/** What became of sealed hashes. */
export interface RehashCounts {
  readonly rehashed: number;
  /** Hashes that are still sealed: not reached, or with a key that is missing here. */
  readonly left: number;
}

const rehashHelp = `
Examples:
  wfh accounts rehash                       after an interrupted import, or one with --rehash later
  nice wfh accounts rehash --quiet          at low priority on a busy server

Each hash takes about 15 ms of CPU time. All users can log in meanwhile. Ctrl+C stops after the
current batch; run the same command again to continue. When no sealed hash is left, log-ins no
longer depend on the server's key.

Exit codes: 0 no hash is sealed, 1 some hashes are sealed with another key, 130 interrupted.
`;

/** `wfh accounts rehash` hashes sealed hashes of imports again with Argon2id (decision 0035). */
export const declareRehash: DeclareCommand = (accounts) =>
  accounts
    .command("rehash")
    .description("Hash imported, sealed hashes with Argon2id")
    .shared("json", "quiet", "config")
    .addHelpText("after", rehashHelp)
    .run(administer(rehashAccounts));

function rehashAccounts(context: AdminContext, options: SharedOptions): Promise<number> {
  const { terminal } = context;
  return interruptible(terminal, "Interrupted.", async (signal) => {
    const counts = await rehashSealed(context, signal, options);
    if (options.json) terminal.out(renderJsonLine({ ...counts }));
    else if (!options.quiet) terminal.out(`${describeRehash(counts, signal.aborted)}\n`);
    if (signal.aborted) return exitCodes.interrupted;
    return counts.left > 0 ? exitCodes.no : exitCodes.done;
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

/** What became of sealed hashes, for people. */
export function describeRehash({ rehashed, left }: RehashCounts, isInterrupted: boolean): string {
  const done =
    rehashed === 0 && left === 0
      ? "No hash is sealed"
      : `Hashed ${countOf(rehashed, "imported hash", "imported hashes")} with Argon2id`;
  if (left === 0) return `${done}.`;
  const rest = `${countOf(left, "hash is", "hashes are")} still sealed`;
  return isInterrupted
    ? `${done}; ${rest}. Continue with: wfh accounts rehash`
    : `${done}; ${rest} with a key that this server does not have. Set WFH_KEY_FILE or WFH_SECRET_KEYS as they were during the import, then run: wfh accounts rehash`;
}

/** Hashes sealed hashes again, batch after batch; a log-in meanwhile upgrades its own. */
export async function rehashSealed(
  { administration, config, terminal }: AdminContext,
  signal: AbortSignal,
  { quiet }: SharedOptions,
): Promise<RehashCounts> {
  const progress = new Progress(terminal, { verb: "Hashing", noun: "hashes", quiet });
  const keys = findConfiguredKeys(config);
  const hashesAtOnce = hashConcurrencyOf(config);
  const sealing = keys === null ? {} : { sealing: new HashSealing(keys) };
  const hashing = new PasswordHasher({ hashesAtOnce, ...sealing });
  const forms = await listSealedForms(administration);
  const sealed = await administration.countHashes(forms);
  let [rehashed, seen] = [0, 0];
  let after: bigint | null = null;
  try {
    while (!signal.aborted) {
      const batch = await administration.listHashes(forms, after, batchSize);
      after = batch.at(-1)?.recordId ?? null;
      if (after === null) break;
      const replacements = await Promise.all(
        batch.map(async ({ recordId, record: from }) => {
          const record = await hashing.rehashSealed(from);
          return record === null ? [] : [{ recordId, from, record, form: hashing.formOf(record) }];
        }),
      );
      await administration.replaceHashes(replacements.flat());
      rehashed += replacements.flat().length;
      seen += batch.length;
      progress.update(seen, seen / Math.max(sealed, seen));
    }
  } finally {
    progress.close();
  }
  return { rehashed, left: await countSealed(administration) };
}

/** How many hashes are sealed only. */
export async function countSealed(administration: OpenAdministration): Promise<number> {
  return administration.countHashes(await listSealedForms(administration));
}

async function listSealedForms(administration: OpenAdministration): Promise<readonly string[]> {
  const forms = await administration.listHashForms();
  return forms.filter((form) => parseHashForm(form)?.work === null);
}
