import { randomBytes, timingSafeEqual } from "node:crypto";
import type { PasswordHashing } from "../domain/log-in/password-hashing.ts";
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
import { type LegacyKind, readLegacyHash } from "./legacy-hash.ts";
import { Slots } from "./slots.ts";
import { planSteps, type VerificationSteps } from "./verification-steps.ts";

const saltBytes = 16;
const tagBytes = 32;
/** What is compared where there is no record. */
const dummyTag = Buffer.alloc(tagBytes);
/** Form of a record that cannot be read; it asks for no work. */
const unknownForm = "unknown";

/** What password hashing is made of. */
export interface PasswordHashingParts {
  /**
   * Most hashes and verifications at the same time, 1 or more: the number of cores, and fewer than libuv has threads.
   * How many may wait is the caller's to bound.
   */
  readonly hashesAtOnce: number;
  /** Work of new records; `currentWork` where it is not given. */
  readonly work?: Argon2Work;
  readonly random?: (bytes: number) => Buffer;
}

/** Password hashing that takes the hashes of other systems along. */
export interface ImportingPasswordHashing extends PasswordHashing {
  /**
   * The record of a hash as an old system stored it (`readLegacyHash`). It is hashed once more, so that what is stored is
   * as strong as the rest (decision 0022).
   *
   * @throws {LegacyHashError} when the text is not a hash of the kind.
   */
  wrapLegacyHash(text: string, kind: LegacyKind): Promise<string>;
}

/** Hashes passwords with Argon2id (decision 0022). */
export function createPasswordHashing(parts: PasswordHashingParts): ImportingPasswordHashing {
  const { work = currentWork, random = randomBytes } = parts;
  const slots = new Slots(parts.hashesAtOnce);
  const current: HashForm = { legacy: null, work };
  const dummySalt = Buffer.alloc(saltBytes);
  const dummyRecord = formatHashRecord({
    ...{ legacy: null, legacySalt: Buffer.alloc(0), work },
    ...{ salt: dummySalt, tag: dummyTag },
  });

  async function make(message: Buffer, old: Pick<HashRecord, "legacy" | "legacySalt">) {
    const salt = random(saltBytes);
    const tag = await slots.run(() => computeArgon2({ message, salt, work, tagBytes }));
    return formatHashRecord({ ...old, work, salt, tag });
  }

  return {
    hash: (password) => make(toMessage(password), { legacy: null, legacySalt: Buffer.alloc(0) }),
    verify: (text, password, formTexts) => {
      // Where there is none, one is read all the same: that takes time too.
      const read = parseHashRecord(text ?? dummyRecord);
      const record = text === null ? null : read;
      const forms = formTexts.map(parseHashForm).filter((form) => form !== null);
      const steps = planSteps(record, [current, ...forms]);
      return slots.run(() => runSteps(steps, record, password));
    },
    formOf: (text) => {
      const record = parseHashRecord(text);
      return record === null ? unknownForm : formatHashForm(record);
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
    wrapLegacyHash: async (text, kind) => {
      const { step, salt, digest } = readLegacyHash(text, kind);
      return make(toWrappedMessage(step, digest), { legacy: step, legacySalt: salt });
    },
  };
}

async function runSteps(
  steps: VerificationSteps,
  record: HashRecord | null,
  password: string,
): Promise<boolean> {
  const plain = toMessage(password);
  let own = plain;
  for (const { step, salt, isOwn } of steps.legacy) {
    const message = toWrappedMessage(step, await computeLegacyDigest(step, password, salt));
    if (isOwn) own = message;
  }
  let isSame = false;
  for (const { work, salt, tagBytes, isCompared } of steps.argon2) {
    const message = isCompared ? own : plain;
    const tag = await computeArgon2({ message, salt, work, tagBytes });
    if (isCompared) isSame = timingSafeEqual(tag, record?.tag ?? dummyTag);
  }
  return isSame && record !== null;
}

/** What looks the same is the same password, however a keyboard writes it. */
function toMessage(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

/** Names what the digest is of: a digest alone could also be the bytes of a password. */
function toWrappedMessage(step: LegacyStep, digest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${formatLegacyStep(step)}:`), digest]);
}
