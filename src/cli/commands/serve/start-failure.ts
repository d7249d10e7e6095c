import { CommandError } from "../../exit-codes.ts";

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "That port is taken. Stop the program that uses it, or set WFH_PORT or WFH_ADMIN_PORT, which must differ, to another one (0 picks a free one).",
  EACCES: "That port is reserved. Set WFH_PORT or WFH_ADMIN_PORT to one above 1023.",
  EADDRNOTAVAIL: "This machine has no such address. Set WFH_HOST or WFH_ADMIN_HOST to one it has.",
  ENOTFOUND: "That name has no address. Set WFH_HOST or WFH_ADMIN_HOST to one of this machine's.",
};

/** Why a server could not start, and how to fix it where the system's code tells. */
export function toStartFailure(cause: unknown): CommandError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const help = advice[code ?? ""];
  // Messages of Node.js end with the address; those of a worker have nothing else.
  const address = message.split(" ").at(-1);
  const text = help === undefined ? message : `Cannot listen on ${address}. ${help}`;
  return new CommandError(text, undefined, cause);
}
