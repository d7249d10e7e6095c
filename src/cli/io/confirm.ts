import { createInterface } from "node:readline";
import type { Terminal } from "./terminal.ts";

/** Asks for consent on a terminal; resolves to false where nobody can be asked or the answer is not "yes". */
export async function confirm(console: Terminal, question: string): Promise<boolean> {
  const { input } = console;
  if (input?.isTTY !== true) return false;
  const reader = createInterface({ input, terminal: false });
  console.err(`${question} Type yes: `);
  try {
    const { value, done } = await reader[Symbol.asyncIterator]().next();
    return !done && value.trim().toLowerCase() === "yes";
  } finally {
    reader.close();
  }
}
