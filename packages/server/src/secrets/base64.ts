/** Fewest and most bytes, both inclusive. */
export interface ByteBounds {
  readonly min: number;
  readonly max: number;
}

/** Reads bytes from their one text without padding; null for another text or number of bytes. */
export function decodeBase64(
  text: string,
  { min, max }: ByteBounds,
  alphabet: "base64" | "base64url" = "base64",
): Buffer | null {
  if (text.length > Math.ceil((max * 4) / 3)) return null;
  const bytes = Buffer.from(text, alphabet);
  if (bytes.length < min || bytes.length > max) return null;
  const same = alphabet === "base64" ? encodeBase64(bytes) : bytes.toString(alphabet);
  return same === text ? bytes : null;
}

/** Base64 without padding, as hash records have it. */
export function encodeBase64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/={1,2}$/, "");
}
