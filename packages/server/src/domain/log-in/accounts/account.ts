/** A person who may log in. */
export interface Account {
  /** Record_Id for callers; signed 64-bit, never 0. */
  readonly recordId: bigint;
  /** Contact_Id for callers; signed 64-bit, never 0. */
  readonly contactId: bigint;
  /** As it was given; compared by `foldUserName`. */
  readonly userName: string;
  /** Record that a password is verified against; only `PasswordHashing` reads it. */
  readonly hash: string;
  readonly isEnabled: boolean;
  /** Counted up by a new password and by disabling: what began before is good no longer. */
  readonly epoch: number;
}

/** Makes records of passwords that reveal nothing of them, and verifies. */
export interface PasswordHashing {
  /** The record of a new password. */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password with the same work for every record or none, so that time tells nothing.
   *
   * @param record null for a name without an account; the result is then false.
   * @param forms forms of all records there are, as `formOf` names them.
   */
  verify(record: string | null, password: string, forms: readonly string[]): Promise<boolean>;
  /** Form of a record, without salt and result: the work of verifying it. */
  formOf(record: string): string;
  /** False when a new record should take this one's place as soon as the password is known. */
  isCurrent(record: string): boolean;
}

/** Longest user name or password that is read, in bytes of UTF-8: more than people type. */
export const usableBytesMax = 1_024;

/** True for a possible name or password: 1 to 1,024 UTF-8 bytes, no U+0000, no lone surrogate. */
export function isUsableText(text: string): boolean {
  if (text === "" || text.length > usableBytesMax || text.includes("\0")) return false;
  return text.isWellFormed() && new TextEncoder().encode(text).length <= usableBytesMax;
}

/** Folds a user name (NFKC, case, blanks around it): names that fold to one text are the same. */
export function foldUserName(userName: string): string {
  const folded = [...userName.normalize("NFKC").trim()].map(foldCharacter).join("");
  return folded.normalize("NFKC");
}

/** One by one, because the small form of sigma depends on its neighbours. */
function foldCharacter(character: string): string {
  // The dotless i is a letter of its own, and its capital is not.
  if (character === "ı") return character;
  // Small first: the capital sharp s is not the capital of the small one, which is two letters.
  return character.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * Compares names as ASP.NET does: only their case, and white space around them, may differ. Names
 * that `foldUserName` takes for one, such as those with wide letters, may be of two users there.
 */
export function isSameUserName(one: string, other: string): boolean {
  // .NET takes U+FEFF for a letter, and no name contains U+0000.
  const [name, otherName] = [one, other].map((text) => text.replaceAll("\ufeff", "\0").trim());
  // In lower case alone the KELVIN SIGN is a k, in upper case alone the long s is an S.
  return (
    name?.toLowerCase() === otherName?.toLowerCase() &&
    name?.toUpperCase() === otherName?.toUpperCase()
  );
}
