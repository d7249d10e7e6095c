/** What stands in the place of a secret; no address holds these brackets unescaped. */
export const redacted = "[blanked]";

/** How many times a sign is percent-escaped: 0 for `&`, 1 for `%26`, 2 for `%2526`. */
export function escapeDepth(sign: string): number {
  return sign.startsWith("%") ? (sign.length - 1) / 2 : 0;
}
