import { randomBytes, timingSafeEqual } from "node:crypto";
import type { PasswordHashing } from "../domain/log-in/accounts/account.ts";
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
import type { LegacyHash } from "./legacy-hash.ts";

const saltBytes = 16;
const tagBytes = 32;
/** Salt and tag of steps that only equalise time; the salt is long enough for every scheme. */
const dummySalt = Buffer.alloc(saltBytes);
const dummyTag = Buffer.alloc(tagBytes);
const noLegacy = { legacy: null, legacySalt: Buffer.alloc(0) };
/** Form of a record that cannot be read; it needs no steps. */
const unknownForm = "unknown";

/** Parts and limits of a `PasswordHasher`. */
export interface PasswordHashingDeps {
  /**
   * Most hashes at the same time, 1 or more: the number of cores, and fewer than libuv has
   * threads. Or a semaphore. How many may wait is the caller's to bound.
   */
  readonly hashesAtOnce: number | Pick<Semaphore, "run">;
  /** Work of new records; `currentWork` where it is not given. */
  readonly work?: Argon2Work;
}

/** Hashes passwords with Argon2id (decision 0022), and takes the hashes of other systems along. */
export class PasswordHasher implements PasswordHashing {
  readonly #work: Argon2Work;
  readonly #semaphore: Pick<Semaphore, "run">;
  readonly #dummyRecord: string;

  constructor({ hashesAtOnce, work = currentWork }: PasswordHashingDeps) {
    this.#work = work;
    this.#semaphore = typeof hashesAtOnce === "number" ? new Semaphore(hashesAtOnce) : hashesAtOnce;
    this.#dummyRecord = formatHashRecord({ ...noLegacy, work, salt: dummySalt, tag: dummyTag });
  }

  hash(password: string): Promise<string> {
    return this.#make(toMessage(password), noLegacy);
  }

  verify(text: string | null, password: string, formTexts: readonly string[]): Promise<boolean> {
    // Without a record one is read all the same: that takes time too.
    const known = parseHashRecord(text ?? this.#dummyRecord);
    const given = text === null ? null : known;
    const forms = formTexts.map(parseHashForm).filter((form) => form !== null);
    const steps = planSteps(given, [{ legacy: null, work: this.#work }, ...forms]);
    return this.#semaphore.run(() => runSteps(steps, given, password));
  }

  formOf(text: string): string {
    const record = parseHashRecord(text);
    return record === null ? unknownForm : formatHashForm(record);
  }

  isCurrent(text: string): boolean {
    const record = parseHashRecord(text);
    return (
      record !== null &&
      record.legacy === null &&
      formatWork(record.work) === formatWork(this.#work) &&
      record.salt.length === saltBytes &&
      record.tag.length === tagBytes
    );
  }

  /** Hashes the digest of an old system once more, so that it is as strong (decision 0022). */
  rehash({ step, salt, digest }: LegacyHash): Promise<string> {
    return this.#make(toRehashMessage(step, digest), { legacy: step, legacySalt: salt });
  }

  async #make(message: Buffer, old: Pick<HashRecord, "legacy" | "legacySalt">): Promise<string> {
    const work = this.#work;
    const salt = randomBytes(saltBytes);
    const tag = await this.#semaphore.run(() => computeArgon2({ message, salt, work, tagBytes }));
    return formatHashRecord({ ...old, work, salt, tag });
  }
}

async function runSteps(
  steps: VerificationSteps,
  given: HashRecord | null,
  password: string,
): Promise<boolean> {
  let old: Buffer | null = null;
  for (const { step, salt, isOwn } of steps.legacy) {
    const digest = await computeLegacyDigest(step, password, salt);
    if (isOwn) old = toRehashMessage(step, digest);
  }
  const own = old === null ? toMessages(password) : [old];
  const isSameTag = await runArgon2(steps.argon2, { own, texts: toMessages(password) }, given);
  return given !== null && isSameTag;
}

/** Compares tags of the record. There is as much to hash for each record. */
async function runArgon2(
  steps: VerificationSteps["argon2"],
  { own, texts }: { readonly own: readonly Buffer[]; readonly texts: readonly Buffer[] },
  given: HashRecord | null,
): Promise<boolean> {
  let isSame = false;
  for (const { work, salt, tagBytes, isCompared } of steps) {
    for (const [i, text] of texts.entries()) {
      const message = isCompared ? (own[i] ?? own[0] ?? text) : text;
      const tag = await computeArgon2({ message, salt, work, tagBytes });
      isSame ||= isCompared && isSameBytes(tag, given?.tag ?? dummyTag);
    }
  }
  return isSame;
}

function isSameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The password as our own records have it and, where that differs, to the letter: so does Argon2id
 * of other systems (decision 0035). How often it is hashed depends on the password alone.
 */
function toMessages(password: string): readonly Buffer[] {
  const own = toMessage(password);
  const typed = Buffer.from(password);
  return own.equals(typed) ? [own] : [own, typed];
}

/** Makes one message of all spellings that look the same, however a keyboard writes them. */
function toMessage(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

/** Names what the digest is of: a digest alone could also be the bytes of a password. */
function toRehashMessage(step: LegacyStep, digest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${formatLegacyStep(step)}:`), digest]);
}

/** Steps of one verification, in this order. */
export interface VerificationSteps {
  readonly legacy: readonly {
    readonly step: LegacyStep;
    readonly salt: Buffer;
    /** True when the record was made by it. */
    readonly isOwn: boolean;
  }[];
  readonly argon2: readonly {
    readonly work: Argon2Work;
    readonly salt: Buffer;
    readonly tagBytes: number;
    /** True when its tag is compared: the record's, or any where there is no record. */
    readonly isCompared: boolean;
  }[];
}

/**
 * Every step of any form, once: the work does not depend on the record, if its form is known.
 *
 * @param forms at least one.
 */
export function planSteps(
  record: HashRecord | null,
  forms: readonly HashForm[],
): VerificationSteps {
  const legacySteps = new Map<string, LegacyStep>();
  const works = new Map<string, Argon2Work>();
  for (const { legacy, work } of record === null ? forms : [...forms, record]) {
    if (legacy !== null) legacySteps.set(formatLegacyStep(legacy), legacy);
    works.set(formatWork(work), work);
  }
  const ownLegacy = record?.legacy ? formatLegacyStep(record.legacy) : null;
  const [compared] = record === null ? works.keys() : [formatWork(record.work)];
  const argon2: VerificationSteps["argon2"][number][] = [];
  for (const [name, work] of works) {
    const isCompared = name === compared;
    const own = isCompared && record !== null ? record : { salt: dummySalt, tag: dummyTag };
    argon2.push({ work, salt: own.salt, tagBytes: own.tag.length, isCompared });
  }
  return {
    legacy: [...legacySteps].map(([name, step]) => {
      const isOwn = name === ownLegacy;
      return { step, salt: record !== null && isOwn ? record.legacySalt : dummySalt, isOwn };
    }),
    argon2,
  };
}
