/**
 * An artifact that cannot be replaced, for a person to read: what went wrong, and the way out. What was served before
 * still is.
 */
export class ReleaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ReleaseError";
  }
}
