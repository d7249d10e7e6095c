import { createHash, createHmac, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import type { ByteBounds } from "./base64.ts";

type Pbkdf2Hash = "sha1" | "sha256" | "sha512";
/** Hash functions of ASP.NET Membership. */
export type MembershipHash = "sha1" | "sha256" | "hmacsha256";

/** The work of an old system on a password and a salt. */
export type LegacyStep =
  | {
      /** ASP.NET Identity, versions 2 and 3. */
      readonly scheme: "pbkdf2";
      readonly hash: Pbkdf2Hash;
      readonly iterations: number;
      /** Bytes of the digest. */
      readonly bytes: number;
    }
  | {
      /** ASP.NET Membership, password format 1. */
      readonly scheme: "membership";
      readonly hash: MembershipHash;
    }
  | {
      readonly scheme: "bcrypt";
      /** Binary logarithm of the rounds. */
      readonly cost: number;
    };

/** Most rounds of PBKDF2: about a second. */
export const iterationsMax = 1_000_000;
/** Bytes of a digest of PBKDF2. */
export const subkeyBytes: ByteBounds = { min: 16, max: 64 };
/** Costs of bcrypt: the highest takes about a second. */
export const bcryptCosts = { min: 4, max: 14 };

/** Bytes of the salt by scheme. The column of ASP.NET Membership holds 128 characters of base64. */
export const saltBytes: Readonly<Record<LegacyStep["scheme"], ByteBounds>> = {
  pbkdf2: { min: 8, max: 64 },
  membership: { min: 8, max: 96 },
  bcrypt: { min: 16, max: 16 },
};

/** Length of the key of HMAC-SHA-256 in .NET, in bytes. */
const hmacKeyBytes = 64;
const derive = promisify(pbkdf2);

/** Computes the stored bytes of the old system, which neither normalised nor trimmed passwords. */
export async function computeLegacyDigest(
  step: LegacyStep,
  password: string,
  salt: Buffer,
): Promise<Buffer> {
  switch (step.scheme) {
    case "pbkdf2":
      return derive(Buffer.from(password), salt, step.iterations, step.bytes, step.hash);
    case "membership":
      return computeMembership(step.hash, password, salt);
    case "bcrypt":
      return computeBcrypt(Buffer.from(password), salt, step.cost);
  }
}

function computeMembership(hash: MembershipHash, password: string, salt: Buffer): Buffer {
  // .NET writes U+FFFD for half a pair, and so does well-formed text.
  const bytes = Buffer.from(password.toWellFormed(), "utf16le");
  if (hash !== "hmacsha256") return createHash(hash).update(salt).update(bytes).digest();
  const key = Buffer.alloc(hmacKeyBytes, salt);
  return createHmac("sha256", key).update(bytes).digest();
}

/** Names a step, such as `pbkdf2/h=sha512,i=100000,l=32`, `membership/h=sha1` or `bcrypt/c=10`. */
export function formatLegacyStep(step: LegacyStep): string {
  switch (step.scheme) {
    case "pbkdf2":
      return `pbkdf2/h=${step.hash},i=${step.iterations},l=${step.bytes}`;
    case "membership":
      return `membership/h=${step.hash}`;
    case "bcrypt":
      return `bcrypt/c=${step.cost}`;
  }
}

const stepPattern =
  /^(?:pbkdf2\/h=(sha1|sha256|sha512),i=(\d{1,7}),l=(\d{2})|membership\/h=(sha1|sha256|hmacsha256)|bcrypt\/c=(\d{1,2}))$/;

/** Reads what `formatLegacyStep` writes; null when it is something else or beyond the bounds. */
export function parseLegacyStep(text: string): LegacyStep | null {
  const match = stepPattern.exec(text);
  if (match === null) return null;
  const [, prf, iterations, bytes, hash, cost] = match;
  let step: LegacyStep = { scheme: "bcrypt", cost: Number(cost) };
  if (hash !== undefined) step = { scheme: "membership", hash: hash as MembershipHash };
  if (prf !== undefined) {
    const numbers = { iterations: Number(iterations), bytes: Number(bytes) };
    step = { scheme: "pbkdf2", hash: prf as Pbkdf2Hash, ...numbers };
  }
  return isBounded(step) && formatLegacyStep(step) === text ? step : null;
}

/** True when the work of a step is one that we do. */
export function isBounded(step: LegacyStep): boolean {
  switch (step.scheme) {
    case "pbkdf2":
      return (
        isWithin(step.iterations, { min: 1, max: iterationsMax }) &&
        isWithin(step.bytes, subkeyBytes)
      );
    case "membership":
      return true;
    case "bcrypt":
      return isWithin(step.cost, bcryptCosts);
  }
}

/** True when a number is within bounds, both inclusive. */
export function isWithin(count: number, { min, max }: ByteBounds): boolean {
  return count >= min && count <= max;
}

const bcryptAlphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Characters of a digest at the end of a bcrypt text. */
const digestCharacters = 31;

/** Bytes of bcrypt's own base64, without the last bits, which old systems filled differently. */
export function decodeBcrypt(text: string): Buffer {
  const translated = text.replace(
    /./gs,
    (character) => base64Alphabet[bcryptAlphabet.indexOf(character)] ?? "",
  );
  return Buffer.from(translated, "base64");
}

/**
 * The 23 bytes that bcrypt makes of a password, of which the first 72 bytes count.
 *
 * @param salt 16 bytes.
 * @param cost binary logarithm of the rounds.
 */
async function computeBcrypt(
  password: Uint8Array,
  salt: Uint8Array,
  cost: number,
): Promise<Buffer> {
  // Only here: a platform without its binary can do everything else.
  const { hash } = await import("@node-rs/bcrypt");
  // 2a, 2b and 2y differ in their names only, since all of them are right.
  const text = await hash(password, cost, salt);
  return decodeBcrypt(text.slice(-digestCharacters));
}
