/** A person who may log in. */
export interface Account {
  /** What callers get as Record_Id; signed 64-bit, never 0. */
  readonly recordId: bigint;
  /** What callers get as Contact_Id; signed 64-bit, never 0. */
  readonly contactId: bigint;
  /** As it was given; compared by `foldUserName`. */
  readonly userName: string;
  /** What a password is verified against; only `PasswordHashing` reads it. */
  readonly hash: string;
  readonly isEnabled: boolean;
  /** Counted up by a new password and by disabling: what began before is good no longer. */
  readonly epoch: number;
}
