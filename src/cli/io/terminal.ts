/** Where a command reads, writes and how it ends; tests put their own in its place. */
export interface Terminal {
  /** Writes results; the text ends with a line end. */
  out(text: string): void;
  /** Writes what is for people only. */
  err(text: string): void;
  /** Where secrets and consent are read; without it nobody can be asked. */
  readonly input?: Input;
}

/** A terminal where somebody can be asked, or else a pipe or a file. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };
