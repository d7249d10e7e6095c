import { createHash, randomBytes } from "node:crypto";

/** Purposes of a token. */
export const tokenScopes = ["reports"] as const;

/** A token of a program, without its text. Times are UTC in milliseconds. */
export interface Token {
  readonly name: string;
  readonly scope: (typeof tokenScopes)[number];
  /** IDs in digits of the forms that it may read; null for all. */
  readonly forms: readonly string[] | null;
  readonly createdAtMs: number;
  /** It is good before this time. */
  readonly endsAtMs: number;
  /** null before its first use; exact to a minute. */
  readonly lastUsedAtMs: number | null;
}

/** Beginning of a token, by which programs that look for leaked secrets know it. */
const prefix = "wfh_";
const secretBytes = 32;
const pattern = /^wfh_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Makes the text of a token: a prefix and 256 random bits in base64url. */
export function newTokenText(): string {
  return prefix + randomBytes(secretBytes).toString("base64url");
}

/** True for a text that may be a token. */
export function isTokenText(text: string): boolean {
  return pattern.test(text);
}

/** The stored form of a token, its SHA-256 in base64url. */
export function digestOfToken(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
