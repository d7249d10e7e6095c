/**
 * A file of an unexpected kind or form.
 *
 * The message continues a sentence that begins with the file (and the line): `is empty`,
 * `has 3 columns`. It names the finding and the fix, without a full stop.
 */
export class RowFileError extends Error {
  /** The file as the operator named it, or `standard input`. */
  readonly file: string;
  /** Counted from 1; undefined when the file as a whole is wrong. */
  readonly line: number | undefined;

  constructor(file: string, message: string, options: ErrorOptions & { line?: number } = {}) {
    super(message, options);
    this.name = "RowFileError";
    this.file = file;
    this.line = options.line;
  }

  /** The whole sentence: `places.csv, line 2: is not UTF-8.` */
  get sentence(): string {
    const subject = this.line === undefined ? this.file : `${this.file}, line ${this.line}:`;
    return `${subject} ${this.message}.`;
  }
}
