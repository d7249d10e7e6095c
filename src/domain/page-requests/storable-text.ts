/**
 * Text as every database can hold it: U+0000, which PostgreSQL refuses, and halves of surrogate
 * pairs, which no UTF-8 can spell, become U+FFFD (decision 0015). Both only ever arrive in JSON.
 */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/**
 * Cuts a text that is too long; its last character then is `…`, so that a reader sees it.
 *
 * @param max UTF-16 units of the result.
 */
export function cutText(text: string, max: number): string {
  // A pair that the cut would halve goes altogether.
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
