import { InputFile } from "../../rows/input-file.ts";
import { CommandError, exitCodes } from "../exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/** The name of standard input on a command line. */
export const standardInput = "-";

/**
 * Opens a file of rows; `-` is standard input.
 *
 * @throws {CommandError} when standard input is a terminal.
 * @throws {RowFileError} when the file is a folder.
 * @throws {Error} of the operating system when it cannot be opened.
 */
export function openInput(path: string, { input }: Terminal): InputFile {
  if (path !== standardInput) return InputFile.open(path);
  if (input === undefined || input.isTTY === true) {
    const advice = "Name a file, or pipe one in. See --help.";
    throw new CommandError(`There is no file to read.\n${advice}`, exitCodes.usage);
  }
  return InputFile.fromStream("standard input", input);
}
