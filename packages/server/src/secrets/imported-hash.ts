import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { boundsOfWork } from "./argon2.ts";
import { formatHashForm, parseHashRecord } from "./hash-record.ts";
import { formatLegacyStep } from "./legacy-digest.ts";
import {
  type LegacyHash,
  LegacyHashError,
  type LegacyKind,
  readLegacyHash,
} from "./legacy-hash.ts";
import { deriveKey } from "./sealed-box.ts";
import type { SecretKeys } from "./secret-keys.ts";

/** One fingerprint under each key of the server, the current one first. */
export type Fingerprints = readonly [string, ...string[]];

/** Makes fingerprints, which show that two hashes are the same and nothing else (decision 0035). */
export function createFingerprints([first, ...others]: SecretKeys): (
  content: string,
) => Fingerprints {
  const toKey = (key: SecretKeys[0]) =>
    createSecretKey(deriveKey(key, "fingerprint of an imported hash"));
  const firstKey = toKey(first);
  const otherKeys = others.map(toKey);
  return (content) => {
    const fingerprint = (key: KeyObject) =>
      createHmac("sha256", key).update(content).digest("base64url");
    return [fingerprint(firstKey), ...otherKeys.map(fingerprint)];
  };
}

/** A hash of another system. */
export interface ImportedHash {
  /** A record that is stored as it is, or what is hashed with Argon2id first (decision 0022). */
  readonly hash: { readonly record: string; readonly form: string } | LegacyHash;
  /** Recognise the hash in a later import. */
  readonly fingerprints: Fingerprints;
}

/**
 * Reads a hash of an old system; a foreign `Argon2id`, a PHC string of version 19, stays as it is.
 *
 * @throws {LegacyHashError} when it is no hash of the kind; the message repeats nothing of it.
 */
export function readImportedHash(
  text: string,
  kind: LegacyKind | "argon2id",
  fingerprintsOf: (content: string) => Fingerprints,
): ImportedHash {
  if (kind === "argon2id") {
    const salted = text.slice(0, text.lastIndexOf("$"));
    return { hash: readArgon2(text), fingerprints: fingerprintsOf(salted) };
  }
  const hash = readLegacyHash(text, kind);
  const { step, salt, digest } = hash;
  const parts = hasLastingSalt(text, kind) ? [salt, digest] : [salt];
  const known = parts.map((bytes) => bytes.toString("base64"));
  return { hash, fingerprints: fingerprintsOf([formatLegacyStep(step), ...known].join(":")) };
}

/**
 * True where an account keeps its salt with a new password, as in the column of ASP.NET Membership.
 * Elsewhere the salt tells hashes apart; its fingerprint does not help guessing (decision 0035).
 */
function hasLastingSalt(text: string, kind: LegacyKind): boolean {
  return kind.startsWith("aspnet-membership-") && text.includes(":");
}

/** Most KiB times passes of imported Argon2id: PHP's; all log-ins take as long (decision 0022). */
const importedWorkMax = 262_144;

function readArgon2(text: string): { readonly record: string; readonly form: string } {
  const record = parseHashRecord(text);
  if (record === null || record.legacy !== null) {
    const other = /^\$argon2(?:i|d)\$/.test(text) ? "This is another kind of Argon2: " : "";
    throw new LegacyHashError(
      `${other || "The hash is not one of Argon2id, or out of bounds: "}expected $argon2id$v=19$m=…,t=…,p=…$salt$hash with ${boundsOfWork} and base64 without padding`,
    );
  }
  const { memoryKib, passes } = record.work;
  if (memoryKib * passes > importedWorkMax) {
    throw new LegacyHashError(
      `A hash of ${memoryKib} KiB and ${passes} passes would make every log-in take as long as its own: expected at most ${importedWorkMax} KiB times passes`,
    );
  }
  return { record: text, form: formatHashForm(record) };
}
