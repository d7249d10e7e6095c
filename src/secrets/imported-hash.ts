import { boundsOfWork } from "./argon2.ts";
import { formatHashForm, parseHashRecord } from "./hash-record.ts";
import { formatLegacyStep } from "./legacy-digest.ts";
import { LegacyHashError, type LegacyKind, readLegacyHash } from "./legacy-hash.ts";
import { formOfSealed, type HashSealing } from "./sealed-hash.ts";

/** What a record is that can be stored, how it was made, and how it is known again. */
export interface ImportedHash {
  readonly record: string;
  readonly form: string;
  /** As `HashSealing.fingerprints` has them. */
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
 * hash from the next, and a fingerprint of it helps nobody to guess (decision 0035).
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
