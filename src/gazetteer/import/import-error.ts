/**
 * A file that cannot be imported; nothing of it has been.
 *
 * The message continues a sentence that begins with the file name (and the line): `is empty`, `has 3 columns`. It
 * says what was found and how to fix it, without a full stop at its end.
 */
export class ImportError extends Error {
  /** The file as the operator named it, or `standard input`. */
  readonly source: string;
  /** Counted from 1; undefined when the file as a whole is wrong. */
  readonly line: number | undefined;

  constructor(source: string, message: string, options: ErrorOptions & { line?: number } = {}) {
    super(message, options);
    this.name = "ImportError";
    this.source = source;
    this.line = options.line;
  }
}
