import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import type { Tokens } from "../domain/log-in/tokens.ts";
import { decodeBase64 } from "./base64.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";

const selectorBytes = 16;
const validatorBytes = 32;
const derivedKeyBytes = 32;

const cipher = "aes-256-gcm";
/** Parts of a box, in this order, in bytes; what was sealed comes before the tag. */
const keyIdBytes = 6;
const ivBytes = 12;
const tagBytes = 16;
/** Most bytes of a box that is opened: a sealed validator has 77. */
const boxBytesMax = 512;

/** Makes tokens with keys of this server: the first seals and counts, all of them open. */
export function createTokens(keys: SecretKeys): Tokens {
  const boxKeys = new Map(keys.map((key) => [key.id, derive(key, "box of a validator")]));
  const [current] = keys;
  const currentBoxKey = derive(current, "box of a validator");
  // As a key object: Node.js would make one of bytes with every name.
  const nameSecret = createSecretKey(derive(current, "attempts on a user name"));
  return {
    newSelector: () => randomBytes(selectorBytes).toString("base64url"),
    newValidator: () => randomBytes(validatorBytes).toString("base64url"),
    digest: (validator) => createHash("sha256").update(validator).digest("base64url"),
    isSame: (one, other) => {
      const [first, second] = [Buffer.from(one), Buffer.from(other)];
      return first.length === second.length && timingSafeEqual(first, second);
    },
    seal: (validator, selector) => {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, currentBoxKey, iv, { authTagLength: tagBytes });
      sealing.setAAD(Buffer.from(selector));
      const sealed = [sealing.update(validator, "utf8"), sealing.final(), sealing.getAuthTag()];
      return Buffer.concat([Buffer.from(current.id, "base64url"), iv, ...sealed]).toString(
        "base64url",
      );
    },
    open: (box, selector) => {
      const bounds = { min: keyIdBytes + ivBytes + tagBytes, max: boxBytesMax };
      const bytes = decodeBase64(box, bounds, "base64url");
      const key = boxKeys.get(bytes?.subarray(0, keyIdBytes).toString("base64url") ?? "");
      return bytes === null || key === undefined ? null : open(bytes, key, selector);
    },
    nameKey: (name) => createHmac("sha256", nameSecret).update(name).digest("base64url"),
  };
}

function open(box: Buffer, key: Buffer, selector: string): string | null {
  const [iv, sealed] = [box.subarray(keyIdBytes, keyIdBytes + ivBytes), -tagBytes];
  const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(selector));
  opening.setAuthTag(box.subarray(sealed));
  const opened = opening.update(box.subarray(keyIdBytes + ivBytes, sealed));
  try {
    return Buffer.concat([opened, opening.final()]).toString();
  } catch {
    // The tag does not fit: another selector, or not our box.
    return null;
  }
}

/** A key for one purpose, so that what one of them leaks says nothing about another. */
function derive(key: SecretKey, purpose: string): Buffer {
  const info = `web-forms-helper 1: ${purpose}`;
  return Buffer.from(hkdfSync("sha256", key.bytes, "", info, derivedKeyBytes));
}
