import { createInterface } from "node:readline";

/** Where a command reads and writes; tests pass their own. */
export interface Terminal {
  /** Writes results; the text ends with a line end. */
  out(text: string): void;
  /** Writes what is for people only. */
  err(text: string): void;
  /** Standard input: secrets, consent, and files named `-`. */
  readonly input?: Input;
}

/** A terminal that a person types on, or else a pipe or a file. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Asks for consent; resolves to false unless a person types "yes" on a terminal. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const { input } = terminal;
  if (input?.isTTY !== true) return false;
  const reader = createInterface({ input, terminal: false });
  terminal.err(`${question} Type yes: `);
  try {
    const { value, done } = await reader[Symbol.asyncIterator]().next();
    return !done && value.trim().toLowerCase() === "yes";
  } finally {
    reader.close();
  }
}
