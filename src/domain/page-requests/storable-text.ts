/**
 * Text as every database can hold it: U+0000, which PostgreSQL refuses, and halves of surrogate
 * pairs, which no UTF-8 can spell, become U+FFFD (decision 0015). Both only ever arrive in JSON.
 */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

const encoder = new TextEncoder();
const ellipsis = "…";
const ellipsisBytes = encoder.encode(ellipsis).length;
/** Most bytes of a UTF-16 unit in UTF-8. */
const unitBytesMax = 3;

/**
 * Cuts a text that is too long; its last character then is `…`, so that a reader sees it.
 *
 * @param text well-formed.
 * @param maxBytes of the result in UTF-8, which is how databases keep it.
 */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * unitBytesMax <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  // A character that does not fit goes altogether.
  const { read } = encoder.encodeInto(text, bytes.subarray(ellipsisBytes));
  return text.slice(0, read) + ellipsis;
}
