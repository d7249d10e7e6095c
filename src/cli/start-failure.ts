import { CommandError } from "./exit-codes.ts";

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "Another program uses that port: stop it, or set WFH_PORT or WFH_ADMIN_PORT (0 picks a free one).",
  EACCES: "That port is reserved: set WFH_PORT or WFH_ADMIN_PORT to one above 1023.",
  EADDRNOTAVAIL: "This machine has no such address: set WFH_HOST or WFH_ADMIN_HOST to one it has.",
  ENOTFOUND: "That name has no address: set WFH_HOST or WFH_ADMIN_HOST to one of this machine's.",
};

/** Why a server could not start, with the way to mend it where the system's code tells. */
export function toStartFailure(cause: unknown): CommandError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const help = advice[code ?? ""];
  return new CommandError(help === undefined ? message : `${message}\n${help}`, undefined, cause);
}
