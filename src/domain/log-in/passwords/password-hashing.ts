/** Makes records of passwords that reveal nothing of them, and verifies. */
export interface PasswordHashing {
  /** The record of a new password. */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password with the same work for every record and for none, so that the time tells nothing: the steps of all forms are done.
   *
   * @param record null for a name without an account; the result is then false.
   * @param forms forms of all records there are, as `formOf` names them.
   */
  verify(record: string | null, password: string, forms: readonly string[]): Promise<boolean>;
  /** How the record was made, without salt and result: the work of verifying it. */
  formOf(record: string): string;
  /** False when a new record should take this one's place as soon as the password is known. */
  isCurrent(record: string): boolean;
}

/** Age beyond which the forms of hash records are read again, in milliseconds: they change by imports and upgrades only. */
const freshMs = 60_000;

/** Forms of all hash records in the database. */
export class HashFormCache {
  readonly #read: () => Promise<readonly string[]>;
  readonly #now: () => number;
  #known: { readonly forms: readonly string[]; readonly atMs: number } | undefined;

  constructor(read: () => Promise<readonly string[]>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** The forms, of a minute old at most, with one more that has just been met: it must not stand out. */
  async listWith(form: string | null): Promise<readonly string[]> {
    if (this.#known === undefined || Math.abs(this.#now() - this.#known.atMs) >= freshMs) {
      this.#known = { forms: await this.#read(), atMs: this.#now() };
    }
    if (form !== null && !this.#known.forms.includes(form)) {
      this.#known = { ...this.#known, forms: [...this.#known.forms, form] };
    }
    return this.#known.forms;
  }
}
