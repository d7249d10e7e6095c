import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { decodeBase64 } from "./base64.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";

const derivedKeyBytes = 32;
const cipher = "aes-256-gcm";
/** Parts of a box, in this order, in bytes; what was sealed comes before the tag. */
const keyIdBytes = 6;
const ivBytes = 12;
const tagBytes = 16;
/** Most bytes of a box that is opened: a sealed validator has 77. */
const boxBytesMax = 512;

/** Boxes for one purpose under the keys of this server: the first seals, all of them open. */
export class SealedBoxes {
  readonly #currentId: string;
  readonly #currentKey: KeyObject;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor([current, ...others]: SecretKeys, purpose: string) {
    // As key objects: Node.js would make one of bytes with every box, which is slow.
    const toKey = (key: SecretKey) => createSecretKey(deriveKey(key, purpose));
    this.#currentId = current.id;
    this.#currentKey = toKey(current);
    this.#keys = new Map([
      [current.id, this.#currentKey],
      ...others.map((key) => [key.id, toKey(key)] as const),
    ]);
  }

  /** A new box, in base64url, under the first key. */
  seal(content: Buffer, context: string): string {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, this.#currentKey, iv, { authTagLength: tagBytes });
    sealing.setAAD(Buffer.from(context));
    const sealed = [sealing.update(content), sealing.final(), sealing.getAuthTag()];
    const keyId = Buffer.from(this.#currentId, "base64url");
    return Buffer.concat([keyId, iv, ...sealed]).toString("base64url");
  }

  /** Opens a box; null when it is of another context or another key, or no box. */
  open(box: string, context: string): Buffer | null {
    const bounds = { min: keyIdBytes + ivBytes + tagBytes, max: boxBytesMax };
    const bytes = decodeBase64(box, bounds, "base64url");
    const key = this.#keys.get(bytes?.subarray(0, keyIdBytes).toString("base64url") ?? "");
    return bytes === null || key === undefined ? null : open(bytes, key, context);
  }
}

function open(box: Buffer, key: KeyObject, context: string): Buffer | null {
  const iv = box.subarray(keyIdBytes, keyIdBytes + ivBytes);
  const sealed = -tagBytes;
  const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(context));
  opening.setAuthTag(box.subarray(sealed));
  const opened = opening.update(box.subarray(keyIdBytes + ivBytes, sealed));
  try {
    return Buffer.concat([opened, opening.final()]);
  } catch {
    // The tag does not fit: another context, or not our box.
    return null;
  }
}

/** A key for one purpose, so that what one of them leaks says nothing about another: 32 bytes. */
export function deriveKey(key: SecretKey, purpose: string): Buffer {
  const info = `web-forms-helper 1: ${purpose}`;
  return Buffer.from(hkdfSync("sha256", key.bytes, "", info, derivedKeyBytes));
}
