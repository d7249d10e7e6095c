/** How a command ends; the numbers are a promise to scripts. */
export const exitCodes = {
  /** All is well. */
  done: 0,
  /** The command ran and the answer is no: a code was not found. */
  no: 1,
  /** Command line or settings that cannot be used. */
  usage: 2,
  /** It could not be done: a port is taken, a file cannot be read. */
  failed: 3,
  /** Ctrl+C at a question; the number that shells give it. */
  interrupted: 130,
} as const;

/** A command that ends with a message instead of a result. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed, cause?: unknown) {
    super(message, { cause });
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
