import {
  bcryptCosts,
  decodeBcrypt,
  isBounded,
  isWithin,
  iterationsMax,
  type LegacyStep,
  type MembershipHash,
  saltBytes,
  subkeyBytes,
} from "./legacy-digest.ts";

/** Kinds of hashes that can be brought along, as the command line names them. */
export const legacyKinds = [
  "aspnet-identity",
  "aspnet-membership-sha1",
  "aspnet-membership-sha256",
  "aspnet-membership-hmacsha256",
  "aspnet-membership-pbkdf2",
  "bcrypt",
] as const;

/** One of `legacyKinds`. */
export type LegacyKind = (typeof legacyKinds)[number];

/** A text is not a hash of its kind. The message says what is expected and repeats none of it. */
export class LegacyHashError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LegacyHashError";
  }
}

/** A hash of an old system, taken apart. */
export interface LegacyHash {
  readonly step: LegacyStep;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

/**
 * Reads a hash as the old system stored it: `bcrypt` and `aspnet-identity` as they are (version 2
 * or 3, by the first byte), `aspnet-membership-…` as `Password:PasswordSalt` from the columns of
 * those names. `aspnet-membership-pbkdf2` is `Password` alone where the salt is in it, or
 * `Password:PasswordSalt:iterations:algorithm`, the last two as they may be.
 *
 * @throws {LegacyHashError}
 */
export function readLegacyHash(text: string, kind: LegacyKind): LegacyHash {
  switch (kind) {
    case "aspnet-identity":
      return readIdentity(text);
    case "aspnet-membership-sha1":
      return readMembership(text, "sha1", 20);
    case "aspnet-membership-sha256":
      return readMembership(text, "sha256", 32);
    case "aspnet-membership-hmacsha256":
      return readMembership(text, "hmacsha256", 32);
    case "aspnet-membership-pbkdf2":
      return text.includes(":") ? readPbkdf2(text) : readIdentity(text);
    case "bcrypt":
      return readBcrypt(text);
  }
}

const identityExpected = "expected an ASP.NET Identity hash of version 2 or 3 in base64";
/** Version 2: its number, 16 bytes of salt, 32 of subkey. */
const identity2Bytes = 49;
/** Version 3: its number, and three numbers of 4 bytes. */
const identity3HeadBytes = 13;
/** By the number that version 3 has for them. */
const identityHashes = ["sha1", "sha256", "sha512"] as const;

function readIdentity(text: string): LegacyHash {
  const bytes = readPadded(text, `The hash is not base64: ${identityExpected}`);
  switch (bytes[0]) {
    case 0:
      return readIdentity2(bytes);
    case 1:
      return readIdentity3(bytes);
    default:
      throw new LegacyHashError(`The first byte names no known version: ${identityExpected}`);
  }
}

function readIdentity2(bytes: Buffer): LegacyHash {
  if (bytes.length !== identity2Bytes) {
    throw new LegacyHashError(
      `An ASP.NET Identity hash of version 2 has ${identity2Bytes} bytes, this one ${bytes.length}`,
    );
  }
  const step = { scheme: "pbkdf2", hash: "sha1", iterations: 1_000, bytes: 32 } as const;
  return { step, salt: bytes.subarray(1, 17), digest: bytes.subarray(17) };
}

function readIdentity3(bytes: Buffer): LegacyHash {
  if (bytes.length < identity3HeadBytes) {
    throw new LegacyHashError(
      `The hash ends within its first ${identity3HeadBytes} bytes: ${identityExpected}`,
    );
  }
  const hash = identityHashes[bytes.readUInt32BE(1)];
  if (hash === undefined) {
    throw new LegacyHashError(
      `The hash function is unknown: expected ${identityHashes.join(", ")} (0, 1, 2)`,
    );
  }
  const iterations = bytes.readUInt32BE(5);
  const saltEnd = identity3HeadBytes + bytes.readUInt32BE(9);
  const salt = bytes.subarray(identity3HeadBytes, saltEnd);
  const digest = bytes.subarray(saltEnd);
  const step = { scheme: "pbkdf2", hash, iterations, bytes: digest.length } as const;
  if (!isWithin(salt.length, saltBytes.pbkdf2) || !isBounded(step)) {
    const { min, max } = saltBytes.pbkdf2;
    throw new LegacyHashError(
      `The hash is damaged or out of bounds: expected 1 to ${iterationsMax} iterations, ${min} to ${max} bytes of salt, ${subkeyBytes.min} to ${subkeyBytes.max} of subkey`,
    );
  }
  return { step, salt, digest };
}

function readMembership(text: string, hash: MembershipHash, digestBytes: number): LegacyHash {
  const expected = `expected ${digestBytes} bytes of hash, a colon and ${saltBytes.membership.min} to ${saltBytes.membership.max} bytes of salt, both in base64`;
  const [digestText = "", saltText, ...rest] = text.split(":");
  if (saltText === undefined || rest.length > 0) {
    throw new LegacyHashError(`The hash needs exactly one colon: ${expected}`);
  }
  const digest = readPadded(digestText, `The part before the colon is not base64: ${expected}`);
  const salt = readPadded(saltText, `The part after the colon is not base64: ${expected}`);
  if (digest.length !== digestBytes) {
    throw new LegacyHashError(`The hash has ${digest.length} bytes: ${expected}`);
  }
  if (!isWithin(salt.length, saltBytes.membership)) {
    throw new LegacyHashError(`The salt has ${salt.length} bytes: ${expected}`);
  }
  return { step: { scheme: "membership", hash }, salt, digest };
}

/** The defaults of `Rfc2898DeriveBytes`. */
const pbkdf2Default = { iterations: "1000", hash: "sha1" } as const;

function readPbkdf2(text: string): LegacyHash {
  const expected = `expected ${subkeyBytes.min} to ${subkeyBytes.max} bytes of hash, a colon and ${saltBytes.pbkdf2.min} to ${saltBytes.pbkdf2.max} bytes of salt in base64, and with colons between a number of iterations up to ${iterationsMax} and one of ${identityHashes.join(", ")}`;
  const [digestText = "", saltText = "", rounds, algorithm, ...rest] = text.split(":");
  const digest = readPadded(digestText, `The hash is not base64: ${expected}`);
  const salt = readPadded(saltText, `The salt is not base64: ${expected}`);
  const name = (algorithm || pbkdf2Default.hash)
    .toLowerCase()
    .replace(/^(?:hmac|pbkdf2)?-?|-/g, "");
  const hash = identityHashes.find((one) => one === name);
  const iterationsText = rounds || pbkdf2Default.iterations;
  const iterations = /^\d{1,7}$/.test(iterationsText) ? Number(iterationsText) : 0;
  if (hash === undefined) throw new LegacyHashError(`The hash function is unknown: ${expected}`);
  const step = { scheme: "pbkdf2", hash, iterations, bytes: digest.length } as const;
  if (rest.length > 0 || !isWithin(salt.length, saltBytes.pbkdf2) || !isBounded(step)) {
    throw new LegacyHashError(`The hash is out of bounds: ${expected}`);
  }
  return { step, salt, digest };
}

function readBcrypt(text: string): LegacyHash {
  const match = /^\$2[aby]\$(\d{2})\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/.exec(text);
  const [, cost, salt = "", digest = ""] = match ?? [];
  const step = { scheme: "bcrypt", cost: Number(cost) } as const;
  if (match === null) {
    throw new LegacyHashError(
      "The hash is not one of bcrypt: expected 60 characters that begin with $2a$, $2b$ or $2y$",
    );
  }
  if (!isBounded(step)) {
    throw new LegacyHashError(
      `The cost is out of bounds: expected ${bcryptCosts.min} to ${bcryptCosts.max}`,
    );
  }
  return { step, salt: decodeBcrypt(salt), digest: decodeBcrypt(digest) };
}

/** Old systems write base64 with its padding. */
function readPadded(text: string, complaint: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (text === "" || bytes.toString("base64") !== text) throw new LegacyHashError(complaint);
  return bytes;
}
