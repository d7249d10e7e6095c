/** Random texts and what keeps them secret. All texts are base64url without padding. */
export interface Tokens {
  /** Names a session: 16 random bytes, 22 characters. */
  newSelector(): string;
  /** Proves a session: 32 random bytes, 43 characters. */
  newValidator(): string;
  /** What is stored of a validator, its SHA-256. */
  digest(validator: string): string;
  /** Compares digests in a time that does not depend on where they differ. */
  isSame(one: string, other: string): boolean;
  /** Encrypts a validator so that only this server, for this selector, can read it. */
  seal(validator: string, selector: string): string;
  /** What was sealed; null when it was not sealed with a key that we have, or for another selector. */
  open(box: string, selector: string): string | null;
  /** Name under which attempts on a user name are counted; tells nothing of the name without our key. */
  nameKey(foldedUserName: string): string;
}
