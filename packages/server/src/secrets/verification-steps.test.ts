import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatWork } from "./argon2.ts";
import type { HashForm, HashRecord } from "./hash-record.ts";
import { formatLegacyStep, type LegacyStep } from "./legacy-digest.ts";
import { planSteps } from "./password-hashing.ts";

const now = { memoryKib: 19_456, passes: 2, lanes: 1 };
const older = { memoryKib: 65_536, passes: 3, lanes: 1 };
const identity: LegacyStep = { scheme: "pbkdf2", hash: "sha1", iterations: 1_000, bytes: 32 };
const bcrypt: LegacyStep = { scheme: "bcrypt", cost: 10 };
const forms: readonly HashForm[] = [
  { legacy: null, work: now },
  { legacy: identity, work: now },
  { legacy: identity, work: older },
  { legacy: bcrypt, work: now },
];

function recordOf({ legacy, work }: HashForm): HashRecord {
  const legacySalt = Buffer.alloc(legacy === null ? 0 : 16, 1);
  const own = { work, salt: Buffer.alloc(16, 2), tag: Buffer.alloc(32, 3) };
  return { legacy, legacySalt, ...own };
}

/** Steps that cost time, without salts. */
function workOf(record: HashRecord | null, known: readonly HashForm[]) {
  const { legacy, argon2 } = planSteps(record, known);
  return [
    ...legacy.map(({ step }) => formatLegacyStep(step)),
    ...argon2.map(({ work, tagBytes }) => `${formatWork(work)} ${tagBytes}`),
  ];
}

test("each step of the forms is done once", () => {
  assert.deepEqual(workOf(null, forms), [
    "pbkdf2/h=sha1,i=1000,l=32",
    "bcrypt/c=10",
    "m=19456,t=2,p=1 32",
    "m=65536,t=3,p=1 32",
  ]);
});

test("the work is the same for no record and for a record of any of the forms", () => {
  for (const form of forms) {
    assert.deepEqual(workOf(recordOf(form), forms), workOf(null, forms));
  }
});

test("a record of an unlisted form is verified all the same", () => {
  assert.deepEqual(workOf(recordOf({ legacy: bcrypt, work: older }), forms.slice(0, 1)), [
    "bcrypt/c=10",
    "m=19456,t=2,p=1 32",
    "m=65536,t=3,p=1 32",
  ]);
});

test("the salts of a record go to its own steps and to no other", () => {
  const any = fc.constantFrom(...forms);
  fc.assert(
    fc.property(any, fc.array(any), (form, others) => {
      const record = recordOf(form);
      const steps = planSteps(record, [forms[0] ?? form, ...others]);
      const own = [...steps.legacy.filter(({ isOwn }) => isOwn), ...steps.argon2];
      for (const { salt, ...step } of own) {
        const isOwn = "isOwn" in step ? step.isOwn : step.isCompared;
        assert.equal(salt === record.legacySalt || salt === record.salt, isOwn);
      }
      assert.equal(
        steps.legacy.filter(({ isOwn }) => isOwn).length,
        record.legacy === null ? 0 : 1,
      );
      assert.equal(steps.argon2.filter(({ isCompared }) => isCompared).length, 1);
    }),
  );
});
