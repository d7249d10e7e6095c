import type { AccountImports, StoredHash } from "../../../domain/log-in/accounts/account-import.ts";
import { parseHashForm } from "../../../secrets/hash-record.ts";
import { HashSealing } from "../../../secrets/imported-hash.ts";
import { PasswordHasher } from "../../../secrets/password-hashing.ts";
import { hashConcurrencyOf } from "../../../server/settings/config.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import { exitCodes } from "../../exit-codes.ts";
import { interruptible } from "../../io/interruption.ts";
import { renderJsonLine } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";

/** Hashes of one transaction: a second or two of work on two cores, which is what an interruption costs. */
const batchSize = 200;

/** Options of `accounts rehash`. */
export interface RehashAccountsOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly config?: string;
}

/** What became of sealed hashes. */
export interface RehashCounts {
  readonly rehashed: number;
  /** Those that are still sealed: not reached, or of a key that is not here. */
  readonly left: number;
}

/** How hashes are wrapped. */
export interface RehashDeps {
  readonly office: AdminContext;
  /** How many are sealed. */
  readonly sealed: number;
  readonly meter: Progress;
  readonly signal: AbortSignal;
}

/**
 * Hashes once more what imports have sealed, with Argon2id (decision 0035). Resolves to the exit code.
 *
 * @throws {CommandError} when the database or the keys cannot be used.
 */
export async function rehashAccounts(
  options: RehashAccountsOptions,
  console: Terminal,
): Promise<number> {
  const result = await withAdminContext(options.config, console, (office) =>
    interruptible(console, "Interrupted.", async (signal) => {
      const sealed = await countSealed(office.administration);
      const meter = new Progress(console, {
        verb: "Hashing",
        noun: "hashes",
        quiet: options.quiet,
      });
      const { rehashed: wrapped, left } = await rehashSealed({
        office,
        sealed,
        meter,
        signal,
      });
      const isRequested = signal.aborted;
      if (options.json) console.out(renderJsonLine({ wrapped, left }));
      else if (!options.quiet)
        console.out(`${describeRehash({ rehashed: wrapped, left }, isRequested)}\n`);
      return { left, isRequested };
    }),
  );
  if (result.isRequested) return exitCodes.interrupted;
  return result.left > 0 ? exitCodes.no : exitCodes.done;
}

/** What became of sealed hashes, for people. */
export function describeRehash(
  { rehashed: wrapped, left }: RehashCounts,
  isInterrupted: boolean,
): string {
  const done =
    wrapped === 0 && left === 0
      ? "No hash is sealed"
      : `Hashed ${wrapped.toLocaleString("en-US")} once more with Argon2id`;
  if (left === 0) return `${done}.`;
  const rest = `${left.toLocaleString("en-US")} ${left === 1 ? "is" : "are"} still sealed`;
  return isInterrupted
    ? `${done}; ${rest}. Go on: wfh accounts rehash`
    : `${done}; ${rest} with a key that is not here. Set WFH_KEY_FILE or WFH_SECRET_KEYS as when they were imported, and run: wfh accounts rehash`;
}

/** Hashes what is sealed, batch after batch; who logs in meanwhile is upgraded by that. */
export async function rehashSealed(parts: RehashDeps): Promise<RehashCounts> {
  const { office, sealed, meter, signal } = parts;
  const { administration, config } = office;
  const keys = findConfiguredKeys(config);
  const hashesAtOnce = hashConcurrencyOf(config);
  const sealing = keys === null ? {} : { sealing: new HashSealing(keys) };
  const hashing = new PasswordHasher({ hashesAtOnce, ...sealing });
  const forms = await listSealedForms(administration);
  let [wrapped, seen] = [0, 0];
  try {
    for await (const batch of listSealed(administration, forms, signal)) {
      const replacements = await Promise.all(
        batch.map(async ({ recordId, record: from }) => {
          const record = await hashing.rehashSealed(from);
          return record === null ? [] : [{ recordId, from, record, form: hashing.formOf(record) }];
        }),
      );
      await administration.replaceHashes(replacements.flat());
      wrapped += replacements.flat().length;
      seen += batch.length;
      meter.update(seen, seen / Math.max(sealed, seen));
    }
  } finally {
    meter.close();
  }
  return { rehashed: wrapped, left: await countSealed(administration) };
}

/** How many hashes are sealed and not hashed once more yet. */
export async function countSealed(administration: AccountImports): Promise<number> {
  return administration.countHashes(await listSealedForms(administration));
}

/** Forms of hash records that are sealed only. */
async function listSealedForms(administration: AccountImports): Promise<readonly string[]> {
  const forms = await administration.listHashForms();
  return forms.filter((form) => parseHashForm(form)?.work === null);
}

async function* listSealed(
  administration: AccountImports,
  forms: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly StoredHash[]> {
  let after: bigint | null = null;
  while (!signal.aborted) {
    const page: readonly StoredHash[] = await administration.listHashes(forms, after, batchSize);
    after = page.at(-1)?.recordId ?? null;
    if (after === null) return;
    yield page;
  }
}
