import { createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { LegacyTicket } from "../domain/log-in/visitor.ts";

/** The key that the old ASP.NET server protects its cookies with, from its `machineKey`. */
export interface MachineKey {
  /** Framework20SP1 and Framework20SP2 protect tickets in the same way. */
  readonly mode: "Framework20" | "Framework45";
  /** Of the HMAC, which ASP.NET calls `SHA1` or `HMACSHA256` and so on. */
  readonly hash: keyof typeof macBytes;
  readonly cipher: keyof typeof ivBytes;
  readonly validationKey: Buffer;
  /** 16, 24 or 32 bytes for AES, 16 or 24 for 3DES. */
  readonly decryptionKey: Buffer;
}

const macBytes = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const;
const ivBytes = { AES: 16, "3DES": 8 } as const;

/** Longest text of a ticket, in characters: several times what a browser keeps in one cookie. */
const textMax = 16_384;
/** Longest OWIN ticket after decompression, in bytes: 500 claims and more. */
const inflatedMax = 131_072;
/** Form of a ticket in a cookie of FormsAuthentication; OWIN uses base64url. */
const hex = /^(?:[0-9A-Fa-f]{2})+$/;
const owinPrefix = ".AspNet.";

/**
 * Makes what opens the tickets in cookies of an old server (decision 0082). It returns null for
 * any text that was not protected with the key, whatever is wrong with it: the MAC over all bytes
 * is checked before anything is decrypted, so there is no padding oracle. It does not check the
 * expiry. OWIN derives its keys from the name of the cookie, too.
 */
export function createTicketOpener(key: MachineKey) {
  const formsKey = deriveKeys(key, "FormsAuthentication.Ticket");
  const openForms = (bytes: Buffer) =>
    key.mode === "Framework45" ? openBox(bytes, formsKey) : openOld(bytes, key);
  return (name: string, text: string): LegacyTicket | null => {
    if (text.length > textMax) return null;
    const isForms = hex.test(text);
    const bytes = Buffer.from(text, isForms ? "hex" : "base64url");
    try {
      const content = isForms
        ? readForms(openForms(bytes))
        : readOwin(openBox(bytes, owinKeyOf(key, name)));
      return { ...content, digest: createHash("sha256").update(bytes).digest("base64url") };
    } catch {
      return null;
    }
  };
}

/** Keys of MachineKey.Protect, in every mode, for a type of `UseCookieAuthentication`. */
function owinKeyOf(key: MachineKey, cookie: string): MachineKey {
  const isNamed = cookie.startsWith(owinPrefix);
  const type = isNamed ? cookie.slice(owinPrefix.length) : "ApplicationCookie";
  const middleware = "Microsoft.Owin.Security.Cookies.CookieAuthenticationMiddleware";
  const purposes = [middleware, type, "v1"].map((text) => Buffer.from(text));
  const context = purposes.flatMap((text) => [Buffer.of(text.length), text]);
  return deriveKeys(key, "User.MachineKey.Protect", Buffer.concat(context));
}

/** Keys for one purpose, as long as those of the server: NIST SP 800-108, counter, HMAC-SHA-512. */
function deriveKeys(key: MachineKey, label: string, context = Buffer.alloc(0)): MachineKey {
  const derive = (from: Buffer) => {
    const int32 = (number: number) => Buffer.of(0, 0, number >> 8, number & 0xff);
    const fixed = [Buffer.from(`${label}\0`), context, int32(from.length * 8)];
    const blocks = [1, 2].map((block) => {
      const input = Buffer.concat([int32(block), ...fixed]);
      return createHmac("sha512", from).update(input).digest();
    });
    return Buffer.concat(blocks).subarray(0, from.length);
  };
  const { validationKey, decryptionKey } = key;
  return { ...key, validationKey: derive(validationKey), decryptionKey: derive(decryptionKey) };
}

/** IV, encrypted data, and the MAC over both. */
function openBox(bytes: Buffer, key: MachineKey): Buffer {
  const signed = withoutMac(bytes, key);
  const end = ivBytes[key.cipher];
  return decrypt(signed.subarray(end), key, signed.subarray(0, end));
}

/** Before Framework45 random bytes of the length of the key are the IV; a second MAC is inside. */
function openOld(bytes: Buffer, key: MachineKey): Buffer {
  const padded = decrypt(withoutMac(bytes, key), key, Buffer.alloc(ivBytes[key.cipher]));
  return withoutMac(padded.subarray(key.decryptionKey.length), key);
}

/** The bytes before the MAC at the end, which must be right. */
function withoutMac(bytes: Buffer, { hash, validationKey }: MachineKey): Buffer {
  const end = Math.max(0, bytes.length - macBytes[hash]);
  const data = bytes.subarray(0, end);
  const mac = createHmac(hash, validationKey).update(data).digest();
  // Throws where the lengths differ.
  if (!timingSafeEqual(mac, bytes.subarray(end))) throw new RangeError("The MAC is another one");
  return data;
}

function decrypt(data: Buffer, { cipher, decryptionKey: key }: MachineKey, iv: Buffer): Buffer {
  const name = cipher === "AES" ? `aes-${key.length * 8}-cbc` : "des-ede3-cbc";
  // Of two keys of DES the first is used twice.
  const whole = cipher === "3DES" ? Buffer.concat([key, key]).subarray(0, 24) : key;
  const decipher = createDecipheriv(name, whole, iv);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}

type Content = Omit<LegacyTicket, "digest">;

/** The one form since 2011: servers without MS11-100 write others, which are not read. */
function readForms(bytes: Buffer): Content {
  const reader = new BinaryReader(bytes, 20);
  const userName = reader.text(2);
  reader.text(2); // User data.
  reader.text(2); // Path.
  const isWhole = reader.at === bytes.length - 1 && bytes.at(-1) === 0xff;
  if (!isWhole || bytes[0] !== 1 || bytes[10] !== 0xfe) throw new RangeError("Other bytes");
  const issuedAtMs = timeAt(bytes, 2);
  const expiresAtMs = timeAt(bytes, 11);
  return { userName, issuedAtMs, expiresAtMs, isPersistent: bytes[19] === 1 };
}

/** A DateTime in UTC, which counts 100 ns since the year 1, as milliseconds since 1970. */
function timeAt(bytes: Buffer, at: number): number {
  return Number((bytes.readBigInt64LE(at) - 621_355_968_000_000_000n) / 10_000n);
}

const nameClaim = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name";

function readOwin(compressed: Buffer): Content {
  const bytes = gunzipSync(compressed, { maxOutputLength: inflatedMax });
  const reader = new BinaryReader(bytes, 0);
  /** U+0000 stands for the usual value. */
  const textOr = (usual: string) => reader.text().replace(/^\0$/, () => usual);
  const identityVersion = reader.int32();
  reader.text();
  const nameType = textOr(nameClaim);
  reader.text();
  let userName: string | undefined;
  for (let claims = reader.int32(); claims > 0; claims -= 1) {
    const type = textOr(nameType);
    const value = reader.text();
    reader.text(); // Its type.
    reader.text(); // Issuer.
    reader.text(); // Original issuer.
    if (type === nameType) userName ??= value;
  }
  // A token that the identity was made of.
  if (reader.int32() > 0) reader.text();
  const propertiesVersion = reader.int32();
  const properties = new Map<string, string>();
  for (let left = reader.int32(); left > 0; left -= 1) properties.set(reader.text(), reader.text());
  const issuedAtMs = Date.parse(properties.get(".issued") ?? "");
  const expiresAtMs = Date.parse(properties.get(".expires") ?? "");
  const isKnown = identityVersion === 3 && propertiesVersion === 1 && reader.at === bytes.length;
  if (!isKnown || userName === undefined || !issuedAtMs || !expiresAtMs) {
    throw new RangeError("Other bytes");
  }
  return { userName, issuedAtMs, expiresAtMs, isPersistent: properties.has(".persistent") };
}

/** Reads what .NET's BinaryWriter wrote. Throws beyond the end. */
class BinaryReader {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  int32(): number {
    this.at += 4;
    return this.#bytes.readInt32LE(this.at - 4);
  }

  /** A text behind its length, in units of 1 byte (UTF-8) or 2 (UTF-16). */
  text(unit: 1 | 2 = 1): string {
    let length = 0;
    let scale: number = unit;
    let byte: number;
    do {
      byte = this.#bytes.readUInt8(this.at);
      this.at += 1;
      length += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    const start = this.at;
    this.at += length;
    if (this.at > this.#bytes.length) throw new RangeError("Fewer bytes");
    return this.#bytes.toString(unit === 1 ? "utf8" : "utf16le", start, this.at);
  }
}
