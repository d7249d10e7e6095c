import { createHash, createHmac, createSecretKey, randomBytes, timingSafeEqual } from "node:crypto";
import type { Tokens } from "../domain/log-in/sessions/tokens.ts";
import { deriveKey, SealedBoxes } from "./sealed-box.ts";
import type { SecretKeys } from "./secret-keys.ts";

const selectorBytes = 16;
const validatorBytes = 32;

/** Makes tokens with keys of this server: the first seals and counts, all of them open. */
export function createTokens(keys: SecretKeys): Tokens {
  const boxes = new SealedBoxes(keys, "box of a validator");
  // As a key object: Node.js would make one of bytes with every name.
  const nameSecret = createSecretKey(deriveKey(keys[0], "attempts on a user name"));
  return {
    newSelector: () => randomBytes(selectorBytes).toString("base64url"),
    newValidator: () => randomBytes(validatorBytes).toString("base64url"),
    digest: (validator) => createHash("sha256").update(validator).digest("base64url"),
    isSame: (one, other) => {
      const [first, second] = [Buffer.from(one), Buffer.from(other)];
      return first.length === second.length && timingSafeEqual(first, second);
    },
    seal: (validator, selector) => boxes.seal(Buffer.from(validator), selector),
    open: (box, selector) => boxes.open(box, selector)?.toString() ?? null,
    nameKey: (name) => createHmac("sha256", nameSecret).update(name).digest("base64url"),
  };
}
