import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { boundsOfWork } from "./argon2.ts";
import { formatHashForm, parseHashRecord } from "./hash-record.ts";
import { formatLegacyStep, parseLegacyStep } from "./legacy-digest.ts";
import {
  type LegacyHash,
  LegacyHashError,
  type LegacyKind,
  readLegacyHash,
} from "./legacy-hash.ts";
import { deriveKey, SealedBoxes } from "./sealed-box.ts";
import type { SecretKeys } from "./secret-keys.ts";

const sealedRecord = /^\$sealed\$([a-z0-9]+)\$([a-z0-9=,]+)\$([A-Za-z0-9_-]+)$/;

/**
 * Stores hashes of an old system at once, without the work of Argon2id (decision 0035). The first key of the server seals; all of them
 * open.
 */
export class HashSealing {
  readonly #boxes: SealedBoxes;
  readonly #fingerprintKeys: readonly [KeyObject, ...KeyObject[]];

  constructor([first, ...others]: SecretKeys) {
    const toKey = (key: SecretKeys[0]) =>
      createSecretKey(deriveKey(key, "fingerprint of an imported hash"));
    this.#boxes = new SealedBoxes([first, ...others], "box of an imported hash");
    this.#fingerprintKeys = [toKey(first), ...others.map(toKey)];
  }

  /** The record of a hash that only the keys of this server open. */
  seal({ step, salt, digest }: LegacyHash): string {
    const name = formatLegacyStep(step);
    const box = this.#boxes.seal(Buffer.concat([Buffer.of(salt.length), salt, digest]), name);
    return `$sealed$${name.replace("/", "$")}$${box}`;
  }

  /** The hash of a sealed record; null for another text, or one of a key that is not here. */
  open(record: string): LegacyHash | null {
    const [, scheme = "", parameters = "", box = ""] = sealedRecord.exec(record) ?? [];
    const name = `${scheme}/${parameters}`;
    const step = parseLegacyStep(name);
    const content = step === null ? null : this.#boxes.open(box, name);
    if (step === null || content === null) return null;
    const saltEnd = 1 + (content[0] ?? 0);
    return { step, salt: content.subarray(1, saltEnd), digest: content.subarray(saltEnd) };
  }

  /** Show whether two hashes are the same and nothing else: one under each key, the current one first. */
  fingerprints(content: string): readonly [string, ...string[]] {
    const [first, ...others] = this.#fingerprintKeys;
    const fingerprint = (key: KeyObject) =>
      createHmac("sha256", key).update(content).digest("base64url");
    return [fingerprint(first), ...others.map(fingerprint)];
  }
}

/** Form of a sealed record, for example `bcrypt/c=10+sealed`; null for another text. Needs no key. */
export function formOfSealed(record: string): string | null {
  const [, scheme = "", parameters = ""] = sealedRecord.exec(record) ?? [];
  const step = parseLegacyStep(`${scheme}/${parameters}`);
  return step === null ? null : formatHashForm({ legacy: step, work: null });
}

/** A hash of another system, ready to be stored. */
export interface ImportedHash {
  readonly record: string;
  readonly form: string;
  /** Recognise the hash in a later import: see `HashSealing.fingerprints`. */
  readonly fingerprints: readonly [string, ...string[]];
}

/**
 * Takes a hash of an old system over without the work of Argon2id: sealed with a key of this server (decision 0035).
 * `Argon2id` of other systems is stored as it is, a PHC string of version 19.
 *
 * @throws {LegacyHashError} when the text is not a hash of the kind; the message repeats nothing of it.
 */
export function importHash(
  text: string,
  kind: LegacyKind | "argon2id",
  sealing: HashSealing,
): ImportedHash {
  if (kind === "argon2id") return carryArgon2(text, sealing);
  const hash = readLegacyHash(text, kind);
  const { step, salt, digest } = hash;
  const record = sealing.seal(hash);
  const parts = hasLastingSalt(text, kind) ? [salt, digest] : [salt];
  const known = parts.map((bytes) => bytes.toString("base64"));
  return {
    record,
    form: formOfSealed(record) ?? "",
    fingerprints: sealing.fingerprints([formatLegacyStep(step), ...known].join(":")),
  };
}

/**
 * Whether an account keeps its salt with a new password, as ASP.NET Membership has it in a column of its own. Elsewhere the salt alone tells one
 * hash from the next, and a fingerprint of it is no help in guessing (decision 0035).
 */
function hasLastingSalt(text: string, kind: LegacyKind): boolean {
  return kind.startsWith("aspnet-membership-") && text.includes(":");
}

/**
 * Most KiB times passes of an Argon2id hash that is taken over: that of PHP's defaults, the dearest in common use. All log-ins take as long as
 * the dearest hash there is, so that their time tells nothing (decision 0022).
 */
const importedWorkMax = 262_144;

function carryArgon2(text: string, sealing: HashSealing): ImportedHash {
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
  const salted = text.slice(0, text.lastIndexOf("$"));
  return { record: text, form: formatHashForm(record), fingerprints: sealing.fingerprints(salted) };
}
