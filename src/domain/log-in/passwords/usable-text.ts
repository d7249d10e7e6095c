/** Longest user name or password that is looked at, in bytes of UTF-8: more than anybody types. */
export const usableBytesMax = 1_024;

/**
 * True for a text that can be a user name or a password at all: not empty, 1,024 bytes of UTF-8 at most, without
 * U+0000 and without halves of surrogate pairs.
 */
export function isUsableText(text: string): boolean {
  if (text === "" || text.length > usableBytesMax || text.includes("\0")) return false;
  return text.isWellFormed() && new TextEncoder().encode(text).length <= usableBytesMax;
}
