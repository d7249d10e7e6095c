import { type IsSecretName, unescapeDeeply } from "./secret-names.ts";

/** Takes the place of a secret; no address has these brackets unescaped. */
const redacted = "[redacted]";

/** A sign that structures an address. */
interface Sign {
  /** `separator` begins a parameter, `slash` only a name: values hold slashes. */
  readonly kind: "equals" | "separator" | "slash";
  /** Number of times it is percent-escaped. */
  readonly depth: number;
  readonly at: number;
  readonly end: number;
  /** Ends a value in any case; other signs only where a name and an equals sign follow. */
  readonly isHard: boolean;
}

/**
 * Redacts the secrets of an address and leaves everything else as it is, byte for byte: values of
 * parameters with a secret name in path (`;jsessionid=`), query and fragment, also in addresses
 * within the address and in JSON, session ids of ASP.NET in the path, and what stands before the
 * `@` of a host. Takes any text, whole address or not; works in linear time.
 */
export function redactSecrets(address: string, isSecret: IsSecretName): string {
  const text = redactPathSessions(redactUserinfo(address));
  const fragmentAt = indexOrEnd(text, "#");
  const queryAt = Math.min(indexOrEnd(text, "?"), fragmentAt);
  return (
    redactParameters(text.slice(0, queryAt), isSecret, true) +
    redactParameters(text.slice(queryAt, fragmentAt), isSecret, false) +
    redactParameters(text.slice(fragmentAt), isSecret, false)
  );
}

function indexOrEnd(text: string, mark: string): number {
  const index = text.indexOf(mark);
  return index < 0 ? text.length : index;
}

const signs = /[&;?#=/]|%(?:25){0,2}(?:26|3b|3f|23|3d|2f)/gi;

function readSigns(text: string, isPath: boolean): readonly Sign[] {
  const found: Sign[] = [];
  signs.lastIndex = 0;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    found.push(toSign(match[0], match.index, isPath));
  }
  return found;
}

function toSign(sign: string, at: number, isPath: boolean): Sign {
  const isEscaped = sign.startsWith("%");
  const isEquals = sign === "=" || (isEscaped && /3d$/i.test(sign));
  const isSlash = (sign === "/" && !isPath) || (isEscaped && /2f$/i.test(sign));
  return {
    kind: isEquals ? "equals" : isSlash ? "slash" : "separator",
    depth: isEscaped ? (sign.length - 1) / 2 : 0,
    at,
    end: at + sign.length,
    isHard: sign === "&" || (sign === "/" && isPath),
  };
}

function redactParameters(text: string, isSecret: IsSecretName, isPath: boolean): string {
  if (!/=|%(?:25){0,2}3d/i.test(text)) return text;
  const all = readSigns(text, isPath);
  const kept: string[] = [];
  let keptTo = 0;
  let nameAt = 0;
  let separatorDepth = 0;
  // Of the present parameter; an equals sign of its value counts where it is escaped deeper.
  let equalsDepth = -1;
  for (let i = 0; i < all.length; i++) {
    const sign = all[i];
    if (sign === undefined) break;
    if (sign.kind === "separator") {
      separatorDepth = sign.depth;
      equalsDepth = -1;
    } else if (sign.kind === "equals" && sign.depth > equalsDepth) {
      equalsDepth = sign.depth;
      const name = text.slice(nameAt, sign.at);
      const next = findNext(all, i, Math.max(separatorDepth, sign.depth));
      const end = all[next]?.at ?? text.length;
      if (isSecretValue(name, text.slice(sign.end, end), isSecret)) {
        kept.push(text.slice(keptTo, sign.end), redacted);
        keptTo = end;
        i = next - 1;
      }
    }
    nameAt = sign.end;
  }
  return kept.join("") + text.slice(keptTo);
}

/**
 * Finds the sign that ends the value behind an equals sign: a hard one, or a separator escaped no
 * deeper than the parameter where another name and equals sign follow. Passwords hold them too.
 */
function findNext(all: readonly Sign[], equals: number, depth: number): number {
  let candidate = -1;
  for (let i = equals + 1; i < all.length; i++) {
    const sign = all[i];
    if (sign === undefined || sign.depth > depth) continue;
    if (sign.isHard) return i;
    if (sign.kind === "separator") candidate = i;
    else if (sign.kind === "equals" && candidate >= 0) return candidate;
  }
  return all.length;
}

/** An empty value is no secret, nor is the padding of base64. */
function isSecretValue(name: string, value: string, isSecret: IsSecretName): boolean {
  if (/^(?:=|%(?:25){0,2}3d)*$/i.test(value)) return false;
  return isSecret(name) || (looksLikeJson.test(value) && hasSecretMember(value, isSecret));
}

const looksLikeJson = /^(?:\s|\+|%(?:25){0,2}(?:20|22|0a|0d|09)|")*(?:[{[]|%(?:25){0,2}[57]b)/i;

/** True when a word before a colon is the name of a secret. */
function hasSecretMember(value: string, isSecret: IsSecretName): boolean {
  let word = "";
  for (const [token] of unescapeDeeply(value).matchAll(/[^"'\\,{}[\]:\s]+|:/g)) {
    if (token === ":" && isSecret(word)) return true;
    word = token === ":" ? "" : token;
  }
  return false;
}

// Signs as they stand, or percent-escaped up to three times.
const slash = String.raw`(?:[/\\]|%(?:25){0,2}(?:2f|5c))`;
const lead = "(?:[:=]|%(?:25){0,2}3[ad])";
const at = "(?:@|%(?:25){0,2}40)";
const inUserinfo = String.raw`(?:[^/\\?#&%]|%(?!(?:25){0,2}(?:2f|5c|3f|23|26)))`;
const nestedUserinfo = new RegExp(`(${lead}${slash}{2})${inUserinfo}+(${at})`, "gi");

/**
 * Of `https://user:password@host/` both words go: some services take a token for the name. Likewise
 * in an address within the address, escaped or not.
 */
function redactUserinfo(address: string): string {
  if (!/[@%]/.test(address)) return address;
  const authority = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}([^/\\?#]*)@/i.exec(address);
  const userinfo = authority?.[1] ?? "";
  let text = address;
  if (authority !== null && userinfo !== "") {
    const end = authority[0].length - 1;
    text = address.slice(0, end - userinfo.length) + redacted + address.slice(end);
  }
  return text.replace(nestedUserinfo, `$1${redacted}$2`);
}

const open = String.raw`(?:\(|%(?:25){0,2}28)`;
const shut = String.raw`(?:\)|%(?:25){0,2}29)`;
const inside = "(?:[^()/%]|%(?!(?:25){0,2}(?:28|29|2f)))";
const cookieless = new RegExp(`${slash}${open}(?:[a-z]${open}${inside}*${shut})+${shut}`, "gi");
const ticket = new RegExp(`([a-z]${open})${inside}+(${shut})`, "gi");

/** ASP.NET without cookies keeps sessions and log-ins in the path: `/(S(lit3py55t21z5v))/`. */
function redactPathSessions(address: string): string {
  if (!/[(%]/.test(address)) return address;
  return address.replace(cookieless, (segment) => segment.replace(ticket, `$1${redacted}$2`));
}
