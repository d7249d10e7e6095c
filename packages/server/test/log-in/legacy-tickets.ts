import { createCipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { MachineKey } from "../../src/secrets/legacy-ticket.ts";

/** Content of a ticket of an old server. */
export interface TicketContent {
  readonly userName: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly isPersistent: boolean;
}

/** All kinds of keys that an old server may have. */
export const machineKeys: readonly MachineKey[] = (["Framework20", "Framework45"] as const).flatMap(
  (mode) =>
    (["sha1", "sha256", "sha384", "sha512"] as const).flatMap((hash) => [
      ...[16, 24, 32].map((bytes) => machineKey({ mode, hash, cipher: "AES" }, bytes)),
      ...[16, 24].map((bytes) => machineKey({ mode, hash, cipher: "3DES" }, bytes)),
    ]),
);

function machineKey(
  kind: Pick<MachineKey, "mode" | "hash" | "cipher">,
  decryptionBytes: number,
): MachineKey {
  const make = (what: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", JSON.stringify(kind), "", what, bytes));
  // The shortest and the longest that ASP.NET takes.
  const validationBytes = decryptionBytes === 16 ? 20 : 64;
  return {
    ...kind,
    validationKey: make("validation", validationBytes),
    decryptionKey: make("decryption", decryptionBytes),
  };
}

/** Names a kind of key for a test. */
export function nameOf({ mode, hash, cipher, decryptionKey }: MachineKey): string {
  return `${mode}, ${hash}, ${cipher} with ${decryptionKey.length} bytes`;
}

/** The `machineKey` element of a key. */
export function toElement(key: MachineKey, mode: string = key.mode): string {
  const validation = key.hash === "sha1" ? "SHA1" : `HMAC${key.hash.toUpperCase()}`;
  const compatibility = mode === "Framework20" ? "Framework20SP2" : mode;
  const [one, other] = [key.validationKey, key.decryptionKey].map((bytes) => bytes.toString("hex"));
  return `<machineKey validationKey="${one}" decryptionKey="${other?.toUpperCase()}" validation="${validation}" decryption="${key.cipher}" compatibilityMode="${compatibility}" />`;
}

/** The MAC of a key over some bytes. */
export function macOf({ hash, validationKey }: MachineKey, bytes: Uint8Array): Buffer {
  return createHmac(hash, validationKey).update(bytes).digest();
}

/** A ticket of FormsAuthentication, not protected yet. */
export function formsBytes(content: TicketContent): Buffer {
  const time = (ms: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms) * 10_000n + 621_355_968_000_000_000n);
    return bytes;
  };
  return Buffer.concat([
    Buffer.of(1, 2),
    time(content.issuedAtMs),
    Buffer.of(0xfe),
    time(content.expiresAtMs),
    Buffer.of(Number(content.isPersistent)),
    withLength(content.userName, "utf16le"),
    withLength("data of the user", "utf16le"),
    withLength("/", "utf16le"),
    Buffer.of(0xff),
  ]);
}

/** A cookie of FormsAuthentication. */
export function formsCookie(key: MachineKey, content: TicketContent): string {
  const bytes = formsBytes(content);
  if (key.mode === "Framework45") return box(key, bytes, "FormsAuthentication.Ticket", []);
  const inner = [randomBytes(key.decryptionKey.length), bytes, macOf(key, bytes)];
  const encrypted = encrypt(key, Buffer.concat(inner), Buffer.alloc(blockBytes[key.cipher]));
  return Buffer.concat([encrypted, macOf(key, encrypted)])
    .toString("hex")
    .toUpperCase();
}

/** A cookie of OWIN, for ASP.NET Identity. */
export function owinCookie(
  key: MachineKey,
  content: TicketContent,
  type = "ApplicationCookie",
): string {
  const middleware = "Microsoft.Owin.Security.Cookies.CookieAuthenticationMiddleware";
  const purposes = [middleware, type, "v1"];
  const hex = box(key, gzipSync(owinBytes(content, type)), "User.MachineKey.Protect", purposes);
  return Buffer.from(hex, "hex").toString("base64url");
}

function owinBytes({ userName, isPersistent, ...times }: TicketContent, type: string): Buffer {
  const usual = "\0";
  const claim = (name: string, value: string) => [name, value, usual, usual, usual];
  const stamp = (ms: number) => new Date(ms).toUTCString();
  const properties = [
    ".issued",
    stamp(times.issuedAtMs),
    ".expires",
    stamp(times.expiresAtMs),
    ...(isPersistent ? [".persistent", ""] : []),
  ];
  const id = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier";
  const texts = (all: readonly string[]) => all.map((text) => withLength(text, "utf8"));
  return Buffer.concat([
    int32(3),
    ...texts([type, usual, usual]),
    int32(2),
    ...texts([...claim(id, "17"), ...claim(usual, userName)]),
    int32(0),
    int32(1),
    int32(properties.length / 2),
    ...texts(properties),
  ]);
}

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(number);
  return bytes;
}

function withLength(text: string, encoding: "utf8" | "utf16le"): Buffer {
  const bytes = Buffer.from(text, encoding);
  let length = encoding === "utf8" ? bytes.length : text.length;
  const prefix: number[] = [];
  for (; length >= 0x80; length >>= 7) prefix.push((length & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...prefix, length]), bytes]);
}

const blockBytes = { AES: 16, "3DES": 8 };

function encrypt(
  { cipher, decryptionKey: key }: Pick<MachineKey, "cipher" | "decryptionKey">,
  bytes: Uint8Array,
  iv: Uint8Array,
): Buffer {
  const names = { 16: "des-ede-cbc", 24: "des-ede3-cbc" } as Readonly<Record<number, string>>;
  const name = cipher === "AES" ? `aes-${key.length * 8}-cbc` : (names[key.length] ?? "");
  const encryption = createCipheriv(name, key, iv);
  return Buffer.concat([encryption.update(bytes), encryption.final()]);
}

/** Protects bytes for a purpose as .NET Framework 4.5 does. */
function box(key: MachineKey, bytes: Buffer, label: string, context: readonly string[]): string {
  const derive = (from: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(from.length * 8);
    const fixed = context.map((text) => withLength(text, "utf8"));
    const counted = [Buffer.of(0, 0, 0, 1), Buffer.from(label), Buffer.of(0), ...fixed, length];
    return createHmac("sha512", from)
      .update(Buffer.concat(counted))
      .digest()
      .subarray(0, from.length);
  };
  const validationKey = derive(key.validationKey);
  const decryptionKey = derive(key.decryptionKey);
  const iv = randomBytes(blockBytes[key.cipher]);
  const encrypted = Buffer.concat([iv, encrypt({ ...key, decryptionKey }, bytes, iv)]);
  return Buffer.concat([encrypted, macOf({ ...key, validationKey }, encrypted)])
    .toString("hex")
    .toUpperCase();
}
