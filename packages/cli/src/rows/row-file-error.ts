/**
 * A file that cannot be read as what it should be.
 *
 * The message continues a sentence that begins with the file (and the line): `is empty`, `has 3 columns`. It says what
 * was found and how to fix it, without a full stop at its end.
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
