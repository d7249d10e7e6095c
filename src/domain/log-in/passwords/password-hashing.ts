/** Turns passwords into records that tell nothing of them, and verifies. */
export interface PasswordHashing {
  /** The record of a new password. */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password with the same work for every record and for none, so that the time tells
   * nothing: whatever any of the forms asks for is done.
   *
   * @param record null for a person whom nobody knows; the answer then is false.
   * @param forms forms of all records there are, as `formOf` names them.
   */
  verify(record: string | null, password: string, forms: readonly string[]): Promise<boolean>;
  /** How the record was made, without salt and result: the work of verifying it. */
  formOf(record: string): string;
  /** False when a new record should take this one's place as soon as the password is known. */
  isCurrent(record: string): boolean;
}
