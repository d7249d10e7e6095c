/** Where a command writes and how it ends; tests put their own in its place. */
export interface Console {
  /** Writes results; the text ends with a line end. */
  out(text: string): void;
  /** Writes what is for people only. */
  err(text: string): void;
}
