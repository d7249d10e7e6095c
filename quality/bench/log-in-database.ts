import { pbkdf2Sync, randomBytes } from "node:crypto";
import { accountKeyOf, accountRateLimit } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { readLegacyHash } from "@wfh/server/secrets/legacy-hash.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { type Measured, scratchDatabase, startServer } from "../harness/measured-program.ts";
import { accountCount, accountName, rightPassword } from "./workload.ts";

/** An account of a benchmark, with the right password of all. */
export interface BenchAccount {
  readonly userName: string;
  /** True when its hash came from an old system. */
  readonly isRehashed?: boolean;
  readonly isEnabled?: boolean;
}

/** The usual accounts: all alike. */
export const usualAccounts: readonly BenchAccount[] = Array.from(
  { length: accountCount },
  (_, i) => ({ userName: accountName(i) }),
);

/** Adds accounts to a database, by default a new SQLite one. Each kind shares one real record. */
export async function prepareLogIns(
  accounts: readonly BenchAccount[] = usualAccounts,
  url = scratchDatabase(),
): Promise<string> {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const own = await hashing.hash(rightPassword);
  const rehashed = await hashing.rehash(readLegacyHash(oldHash(), "aspnet-identity"));
  const database = await openAdmin(url, "write", Date.now);
  const { administration } = database;
  for (const [i, { userName, isRehashed = false, isEnabled = true }] of accounts.entries()) {
    const hash = isRehashed ? rehashed : own;
    const hashForm = hashing.formOf(hash);
    const recordId = BigInt(i + 1);
    await administration.addAccount(
      { recordId, contactId: null, userName, hash, hashForm },
      Date.now(),
    );
    if (!isEnabled) await administration.setEnabled(recordId, false, Date.now());
  }
  await database.close();
  return url;
}

/**
 * Counts attempts on names as if they had been made before.
 *
 * @param secretKey the one that the server is going to have.
 * @param agoMs when each of them was, in milliseconds before now, the first one first.
 */
export async function spendAttempts(
  url: string,
  secretKey: string,
  userNames: readonly string[],
  agoMs: readonly number[],
): Promise<void> {
  const tokens = createTokens(readSecretKeys({ given: [secretKey], file: "" }));
  const { store } = await openTestStore(url, { now: Date.now });
  const nowMs = Date.now();
  for (const userName of userNames) {
    for (const ms of agoMs) {
      await store.logIn.consume(accountKeyOf(tokens, userName), accountRateLimit, nowMs - ms);
    }
  }
  await store.close();
}

/** Hash of the right password by ASP.NET Identity 3: 10,000 rounds of PBKDF2 with SHA-256. */
function oldHash(): string {
  const salt = randomBytes(16);
  const iterations = 10_000;
  const head = Buffer.alloc(13);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(1, 1);
  head.writeUInt32BE(iterations, 5);
  head.writeUInt32BE(salt.length, 9);
  const subkey = pbkdf2Sync(rightPassword, salt, iterations, 32, "sha256");
  return Buffer.concat([head, salt, subkey]).toString("base64");
}

/**
 * Starts the server with default settings on a database of log-ins, on all cores. It trusts a local
 * proxy, so that the load can come from any number of networks.
 */
export function startLogInServer(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Measured> {
  const trust = { WFH_TRUSTED_PROXIES: "127.0.0.1" };
  return startServer("any", { WFH_DATABASE_URL: databaseUrl, ...trust, ...environment }, folder);
}
