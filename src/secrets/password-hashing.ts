import { randomBytes, timingSafeEqual } from "node:crypto";
import type { PasswordHashing } from "../domain/log-in/passwords/password-hashing.ts";
import { Semaphore } from "../lib/semaphore.ts";
import { type Argon2Work, computeArgon2, currentWork, formatWork } from "./argon2.ts";
import {
  formatHashForm,
  formatHashRecord,
  type HashForm,
  type HashRecord,
  parseHashForm,
  parseHashRecord,
} from "./hash-record.ts";
import { computeLegacyDigest, formatLegacyStep, type LegacyStep } from "./legacy-digest.ts";
import { type LegacyHash, type LegacyKind, readLegacyHash } from "./legacy-hash.ts";
import { formOfSealed, type HashSealing } from "./sealed-hash.ts";
import { planSteps, type VerificationSteps } from "./verification-steps.ts";

const saltBytes = 16;
const tagBytes = 32;
/** What is compared where there is no record. */
const dummyTag = Buffer.alloc(tagBytes);
/** Form of a record that cannot be read; it asks for no work. */
const unknownForm = "unknown";

/** What password hashing is made of. */
export interface PasswordHashingDeps {
  /**
   * Most hashes and verifications at the same time, 1 or more: the number of cores, and fewer than libuv has threads.
   * How many may wait is the caller's to bound. Or a semaphore for them, which others may share.
   */
  readonly hashesAtOnce: number | Pick<Semaphore, "run">;
  /** Work of new records; `currentWork` where it is not given. */
  readonly work?: Argon2Work;
  readonly random?: (bytes: number) => Buffer;
  /** Opens sealed records; without it nobody logs in who has one. */
  readonly sealing?: HashSealing;
}

/** Password hashing that takes the hashes of other systems along. */
export interface ImportingPasswordHashing extends PasswordHashing {
  /**
   * The record of a hash as an old system stored it (`readLegacyHash`). It is hashed once more, so that what is stored is
   * as strong as the rest (decision 0022).
   *
   * @throws {LegacyHashError} when the text is not a hash of the kind.
   */
  rehashLegacy(text: string, kind: LegacyKind): Promise<string>;
  /** The same for a sealed record; resolves to null when it is none, or of a key that is not here (decision 0035). */
  rehashSealed(record: string): Promise<string | null>;
}

/** A record that can be verified against. */
interface ReadRecord {
  readonly record: HashRecord;
  /** What the old system stored, where the record is a sealed one: that is compared, and no tag. */
  readonly digest: Buffer | null;
}

/** Hashes passwords with Argon2id (decision 0022). */
export function createPasswordHashing(parts: PasswordHashingDeps): ImportingPasswordHashing {
  const { work = currentWork, random = randomBytes, sealing, hashesAtOnce } = parts;
  const semaphore = typeof hashesAtOnce === "number" ? new Semaphore(hashesAtOnce) : hashesAtOnce;
  const current: HashForm = { legacy: null, work };
  const dummySalt = Buffer.alloc(saltBytes);
  const dummyRecord = formatHashRecord({
    ...{ legacy: null, legacySalt: Buffer.alloc(0), work },
    ...{ salt: dummySalt, tag: dummyTag },
  });

  function read(text: string): ReadRecord | null {
    const record = parseHashRecord(text);
    if (record !== null) return { record, digest: null };
    const sealed = sealing?.open(text) ?? null;
    if (sealed === null) return null;
    const { step: legacy, salt: legacySalt, digest } = sealed;
    return { record: { legacy, legacySalt, work, salt: dummySalt, tag: dummyTag }, digest };
  }

  async function make(message: Buffer, old: Pick<HashRecord, "legacy" | "legacySalt">) {
    const salt = random(saltBytes);
    const tag = await semaphore.run(() => computeArgon2({ message, salt, work, tagBytes }));
    return formatHashRecord({ ...old, work, salt, tag });
  }

  function wrap({ step, salt, digest }: LegacyHash): Promise<string> {
    return make(toWrappedMessage(step, digest), { legacy: step, legacySalt: salt });
  }

  return {
    hash: (password) => make(toMessage(password), { legacy: null, legacySalt: Buffer.alloc(0) }),
    verify: (text, password, formTexts) => {
      // Where there is none, one is read all the same: that takes time too.
      const known = read(text ?? dummyRecord);
      const given = text === null ? null : known;
      const forms = formTexts.map(parseHashForm).filter((form) => form !== null);
      const steps = planSteps(given?.record ?? null, [current, ...forms]);
      return semaphore.run(() => runSteps(steps, given, password));
    },
    formOf: (text) => {
      const record = parseHashRecord(text);
      return record === null ? (formOfSealed(text) ?? unknownForm) : formatHashForm(record);
    },
    isCurrent: (text) => {
      const record = parseHashRecord(text);
      return (
        record !== null &&
        record.legacy === null &&
        formatWork(record.work) === formatWork(work) &&
        record.salt.length === saltBytes &&
        record.tag.length === tagBytes
      );
    },
    rehashLegacy: async (text, kind) => wrap(readLegacyHash(text, kind)),
    rehashSealed: async (record) => {
      const hash = sealing?.open(record) ?? null;
      return hash === null ? null : wrap(hash);
    },
  };
}

async function runSteps(
  steps: VerificationSteps,
  given: ReadRecord | null,
  password: string,
): Promise<boolean> {
  let old: { readonly message: Buffer; readonly digest: Buffer } | null = null;
  for (const { step, salt, isOwn } of steps.legacy) {
    const digest = await computeLegacyDigest(step, password, salt);
    if (isOwn) old = { message: toWrappedMessage(step, digest), digest };
  }
  const own = old === null ? toMessages(password) : [old.message];
  const isSameTag = await runArgon2(steps.argon2, { own, texts: toMessages(password) }, given);
  if (given === null) return false;
  return given.digest === null ? isSameTag : isSameBytes(old?.digest ?? dummyTag, given.digest);
}

/** Whether a tag that is compared is the record's. There is as much to hash for each record. */
async function runArgon2(
  steps: VerificationSteps["argon2"],
  { own, texts }: { readonly own: readonly Buffer[]; readonly texts: readonly Buffer[] },
  given: ReadRecord | null,
): Promise<boolean> {
  let isSame = false;
  for (const { work, salt, tagBytes, isCompared } of steps) {
    for (const [i, text] of texts.entries()) {
      const message = isCompared ? (own[i] ?? own[0] ?? text) : text;
      const tag = await computeArgon2({ message, salt, work, tagBytes });
      isSame ||= isCompared && isSameBytes(tag, given?.record.tag ?? dummyTag);
    }
  }
  return isSame;
}

function isSameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The password as our own records have it and, where that differs, to the letter: so does Argon2id of other systems
 * (decision 0035). How often it is hashed depends on the password alone.
 */
function toMessages(password: string): readonly Buffer[] {
  const [own, typed] = [toMessage(password), Buffer.from(password)];
  return own.equals(typed) ? [own] : [own, typed];
}

/** What looks the same is the same password, however a keyboard writes it. */
function toMessage(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

/** Names what the digest is of: a digest alone could also be the bytes of a password. */
function toWrappedMessage(step: LegacyStep, digest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${formatLegacyStep(step)}:`), digest]);
}
