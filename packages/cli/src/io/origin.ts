import { toPrintable } from "@wfh/server/lib/printable.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

/** Scheme and authority only. */
const bare = /^https?:\/\/[^/\\?#@\s]+$/i;

/**
 * Reads an origin as browsers write it: small letters, no default port, other hosts as `xn--`.
 *
 * @param name the option or column, for the error.
 * @throws {CommandError} that shows what would be right.
 */
export function parseOrigin(text: string, name = "--origin"): string {
  const reason = refusalOf(text);
  if (reason === null) return new URL(text).origin;
  throw new CommandError(`${name} ${toPrintable(text)}: ${reason}`, exitCodes.usage);
}

function refusalOf(text: string): string | null {
  if (text.toLowerCase() === "null") {
    return "any page can have the origin null; give the scheme and host of your page";
  }
  if (text.includes("*")) {
    return "wildcards are not supported: list each origin";
  }
  if (bare.test(text) && URL.canParse(text)) return null;
  const meant = originIn(text);
  const expected = "expected scheme://host or scheme://host:port with http or https";
  return meant === null
    ? `${expected}, for example https://www.example.org`
    : `${expected}: ${meant}`;
}

/** The origin that was probably meant; null where nothing looks like one. */
function originIn(text: string): string | null {
  const candidates = text.includes("://") ? [text] : [text, `https://${text}`];
  for (const candidate of candidates) {
    const url = URL.parse(candidate);
    if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "") return url.origin;
  }
  return null;
}
