/** Who sends a request, as far as the connection tells. */
export interface Sender {
  /** Id of the HTTP request, as the log has it. */
  readonly requestId: string;
  /** IPv4 or IPv6 address; null where it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * Network of a visitor's address, the part that is stored (decision 0015).
 *
 * @returns `"192.0.2.0/24"` for IPv4, also within IPv6 (mapped, NAT64); `"2001:db8:1::/48"` for
 * IPv6 in the form of RFC 5952, of 6to4 40 bits with 24 of its IPv4 address; null otherwise.
 */
export function maskAddress(address: string): string | null {
  return networkOf(address, 48);
}

/** Network that attempts count for (decision 0023): as {@link maskAddress}, of IPv6 56 bits. */
export function addressPrefix(address: string): string | null {
  return networkOf(address, 56);
}

function networkOf(address: string, ipv6Bits: 48 | 56): string | null {
  const bytes = parseIpv4(address);
  if (bytes !== undefined) return maskIpv4(bytes);
  const groups = parseIpv6(address);
  return groups === undefined ? null : maskIpv6(groups, ipv6Bits);
}

function maskIpv4([a, b, c]: readonly number[]): string {
  return `${a}.${b}.${c}.0/24`;
}

/** Prefix of an IPv4 address: `::ffff:0:0/96`, and `64:ff9b::/96` of NAT64 (RFC 6052). */
const mappedPrefix = [0, 0, 0, 0, 0, 0xffff].join();
const nat64Prefix = [0x64, 0xff9b, 0, 0, 0, 0].join();

function maskIpv6(groups: readonly number[], bits: 48 | 56): string {
  const prefix = groups.slice(0, 6).join();
  if (prefix === mappedPrefix || prefix === nat64Prefix) {
    const [high = 0, low = 0] = groups.slice(6);
    return maskIpv4([high >> 8, high & 255, low >> 8]);
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  // 6to4 holds an IPv4 address in bits 16 to 47.
  if (first === 0x2002) return renderNetwork([first, second, third & 0xff00], 40);
  return renderNetwork([first, second, third, bits === 56 ? fourth & 0xff00 : 0], bits);
}

function renderNetwork(groups: readonly number[], bits: number): string {
  const end = groups.findLastIndex((group) => group !== 0) + 1;
  const network = groups.slice(0, end).map((group) => group.toString(16));
  return `${network.join(":")}::/${bits}`;
}

const decimalBytes = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

function parseIpv4(text: string): readonly number[] | undefined {
  const [, a, b, c, d] = decimalBytes.exec(text) ?? [];
  const bytes = [Number(a), Number(b), Number(c), Number(d)];
  return Math.max(...bytes) <= 255 ? bytes : undefined;
}

/** Groups of an IPv6 address, as the URL parser reads it; undefined for any other text. */
function parseIpv6(text: string): readonly number[] | undefined {
  // What follows a percent sign names a network card of this machine.
  const [address = ""] = text.split("%", 1);
  const url = /^[0-9a-f:.]+$/i.test(address) ? URL.parse(`http://[${address}]`) : null;
  if (url === null) return undefined;
  const [head = [], tail = []] = url.hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
