import { isIP } from "node:net";

/**
 * Whether a host, as a Host header has it, is one that no other machine's page can be loaded from: an IP address, or a
 * name of this very machine. Any other name may be pointed here by whoever owns it (DNS rebinding).
 */
export function isUnforgeable(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isIP(name) !== 0;
}

/** Whether a host, as a Host header has it, is this very machine: localhost, a name below it, or a loopback address. */
export function isThisMachine(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isLoopback(name);
}

/** Whether an IP address, without brackets and port, is of this very machine. */
export function isLoopback(address: string): boolean {
  return address === "::1" || (address.startsWith("127.") && isIP(address) === 4);
}

function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/** A host in small letters, without its port and without brackets. */
function nameOf(host: string): string {
  const lower = host.toLowerCase();
  return /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(lower)?.[1] ?? lower.replace(/:\d+$/, "");
}
