import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { foldUserName } from "../domain/log-in/accounts/account.ts";
import { accountKeyOf } from "../domain/log-in/limits/rate-limits.ts";
import type { Tokens } from "../domain/log-in/sessions/session.ts";
import { deriveKey, SealedBoxes } from "./sealed-box.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";

const selectorBytes = 16;
/** Parts of a validator: the secret, and a MAC that tells ours from others without a database. */
const secretBytes = 26;
const macBytes = 6;

/** Makes tokens with the server's keys: the first seals, signs and counts, all open and check. */
export function createTokens(keys: SecretKeys): Tokens {
  const boxes = new SealedBoxes(keys, "box of a validator");
  // As key objects: Node.js would make one of bytes with every name.
  const nameSecret = createSecretKey(deriveKey(keys[0], "attempts on a user name"));
  const toMacKey = (key: SecretKey) => createSecretKey(deriveKey(key, "MAC of a validator"));
  const macKey = toMacKey(keys[0]);
  const otherMacKeys = keys.slice(1).map(toMacKey);
  return {
    newSelector: () => randomBytes(selectorBytes).toString("base64url"),
    newValidator: (selector) => {
      const secret = randomBytes(secretBytes);
      return Buffer.concat([secret, macOf(macKey, selector, secret)]).toString("base64url");
    },
    isOurs: ({ selector, validator }) => {
      const bytes = Buffer.from(validator, "base64url");
      const secret = bytes.subarray(0, secretBytes);
      const mac = bytes.subarray(secretBytes);
      return [macKey, ...otherMacKeys].some((key) => isSame(mac, macOf(key, selector, secret)));
    },
    digest: (validator) => createHash("sha256").update(validator).digest("base64url"),
    isSame: (one, other) => isSame(Buffer.from(one), Buffer.from(other)),
    seal: (validator, selector) => boxes.seal(Buffer.from(validator), selector),
    open: (box, selector) => boxes.open(box, selector)?.toString() ?? null,
    nameKey: (name) => createHmac("sha256", nameSecret).update(name).digest("base64url"),
  };
}

/** Keys of the attempts on a name, by each key of the server: which one counted is not known. */
export function attemptKeysOf(
  keys: readonly SecretKey[],
  name: string,
  of: "account" | "operator" = "account",
): readonly string[] {
  return keys.map((key) => accountKeyOf(createTokens([key]), foldUserName(name), of));
}

function macOf(key: KeyObject, selector: string, secret: Buffer): Buffer {
  return createHmac("sha256", key).update(selector).update(secret).digest().subarray(0, macBytes);
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
