import type { Command } from "commander";
import type { Terminal } from "./io/terminal.ts";

/** What commands are declared with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets the exit code of the program; 0 without a call. */
  readonly exitWith: (exitCode: number) => void;
  /** Loads what is below a command of the first level. */
  readonly load: (command: Command) => Promise<void>;
}

/** Adds arguments, options, help, an action and commands below to a command that has its name and summary already. */
export type DeclareCommand = (command: Command, context: CommandContext) => void;
