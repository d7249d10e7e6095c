import { Fault } from "@wfh/server/fault.ts";

/**
 * Loads a part of the program that most servers need not.
 *
 * @throws {Fault} with the code `unavailable` when it is not there: an upgrade replaces the files
 * of a running server.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    const text = "This part of the program was replaced while it runs: restart the server.";
    throw new Fault("unavailable", text, { cause });
  }
}
