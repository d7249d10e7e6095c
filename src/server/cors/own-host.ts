import { isIP } from "node:net";

/**
 * Whether a Host is one from which no other machine's page can be loaded: an IP address, or a name of this machine. The
 * owner of any other name can point it here (DNS rebinding).
 */
export function isUnforgeable(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isIP(name) !== 0;
}

/** Whether a Host is this machine: localhost, a name below it, or a loopback address. */
export function isThisMachine(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isLoopback(name);
}

/** Whether an IP address, without brackets and port, is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === "::1" || (address.startsWith("127.") && isIP(address) === 4);
}

function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/** A Host in small letters, without its port and brackets. */
function nameOf(host: string): string {
  const lower = host.toLowerCase();
  return /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(lower)?.[1] ?? lower.replace(/:\d+$/, "");
}
