import { createHmac, createSecretKey } from "node:crypto";
import { formatHashForm } from "./hash-record.ts";
import { formatLegacyStep, parseLegacyStep } from "./legacy-digest.ts";
import type { LegacyHash } from "./legacy-hash.ts";
import { createSealedBoxes, deriveKey } from "./sealed-box.ts";
import type { SecretKeys } from "./secret-keys.ts";

/** What can be done with hashes of an old system at once, without the work of Argon2id (decision 0035). */
export interface HashSealing {
  /** The record of a hash that only the keys of this server open. */
  seal(hash: LegacyHash): string;
  /** The hash of a sealed record; null when it is none, or of a key that is not here. */
  open(record: string): LegacyHash | null;
  /** Tell whether two hashes are the same and nothing else: under each key one, the current one first. */
  fingerprints(content: string): readonly [string, ...string[]];
}

const sealedRecord = /^\$sealed\$([a-z0-9]+)\$([a-z0-9=,]+)\$([A-Za-z0-9_-]+)$/;

/** Seals with the first key of the server; all of them open. */
export function createHashSealing(keys: SecretKeys): HashSealing {
  const boxes = createSealedBoxes(keys, "box of an imported hash");
  const [first, ...others] = keys.map((key) =>
    createSecretKey(deriveKey(key, "fingerprint of an imported hash")),
  );
  if (first === undefined) throw new RangeError("There is no key");
  const fingerprint = (secret: typeof first, content: string) =>
    createHmac("sha256", secret).update(content).digest("base64url");
  return {
    seal: ({ step, salt, digest }) => {
      const name = formatLegacyStep(step);
      const box = boxes.seal(Buffer.concat([Buffer.of(salt.length), salt, digest]), name);
      return `$sealed$${name.replace("/", "$")}$${box}`;
    },
    open: (record) => {
      const [, scheme = "", parameters = "", box = ""] = sealedRecord.exec(record) ?? [];
      const name = `${scheme}/${parameters}`;
      const step = parseLegacyStep(name);
      const content = step === null ? null : boxes.open(box, name);
      if (step === null || content === null) return null;
      const saltEnd = 1 + (content[0] ?? 0);
      return { step, salt: content.subarray(1, saltEnd), digest: content.subarray(saltEnd) };
    },
    fingerprints: (content) => [
      fingerprint(first, content),
      ...others.map((secret) => fingerprint(secret, content)),
    ],
  };
}

/** Form of a sealed record, for example `bcrypt/c=10+sealed`; null when the text is none. Needs no key. */
export function formOfSealed(record: string): string | null {
  const [, scheme = "", parameters = ""] = sealedRecord.exec(record) ?? [];
  const step = parseLegacyStep(`${scheme}/${parameters}`);
  return step === null ? null : formatHashForm({ legacy: step, work: null });
}
