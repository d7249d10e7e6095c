/**
 * A file that cannot be imported, for a person to read. Nothing of it has been taken over.
 *
 * The message goes on where the name of the file (and the line) ends: `is empty`, `has 3 columns`. It
 * says what was found and the way out, without a full stop at its end.
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
