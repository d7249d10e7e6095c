import { type Argon2Work, formatWork } from "./argon2.ts";
import type { HashForm, HashRecord } from "./hash-record.ts";
import { formatLegacyStep, type LegacyStep } from "./legacy-digest.ts";

/** Takes the place of a salt where a step is done for its time only; long enough for every scheme. */
const dummySalt = Buffer.alloc(16);
/** Bytes of the tags of new records. */
const dummyTagBytes = 32;

/** What is done for one verification, in this order. */
export interface VerificationSteps {
  readonly legacy: readonly {
    readonly step: LegacyStep;
    readonly salt: Buffer;
    /** Whether the record was made by it. */
    readonly isOwn: boolean;
  }[];
  readonly argon2: readonly {
    readonly work: Argon2Work;
    readonly salt: Buffer;
    readonly tagBytes: number;
    /** Whether its tag is compared: the record's, or any where there is no record. */
    readonly isCompared: boolean;
  }[];
}

/**
 * Every step that any of the forms asks for, once: the work does not depend on the record, as long as its
 * form is among them.
 *
 * @param forms at least one that is not sealed.
 */
export function planSteps(
  record: HashRecord | null,
  forms: readonly HashForm[],
): VerificationSteps {
  const all = record === null ? forms : [...forms, record];
  const legacySteps = new Map(
    all.flatMap(({ legacy }) => (legacy === null ? [] : [[formatLegacyStep(legacy), legacy]])),
  );
  const works = new Map(
    all.flatMap(({ work }) => (work === null ? [] : [[formatWork(work), work]])),
  );
  const ownLegacy = record?.legacy ? formatLegacyStep(record.legacy) : null;
  const [compared] = record === null ? works.keys() : [formatWork(record.work)];
  return {
    legacy: [...legacySteps].map(([name, step]) => {
      const isOwn = name === ownLegacy;
      return { step, salt: record !== null && isOwn ? record.legacySalt : dummySalt, isOwn };
    }),
    argon2: [...works].map(([name, work]) => {
      const isCompared = name === compared;
      if (record === null || !isCompared) {
        return { work, salt: dummySalt, tagBytes: dummyTagBytes, isCompared };
      }
      return { work, salt: record.salt, tagBytes: record.tag.length, isCompared };
    }),
  };
}
