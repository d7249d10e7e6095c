import { redacted } from "./escapes.ts";

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
export function redactUserinfo(address: string): string {
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

/** ASP.NET without cookies keeps session and log-in in the path: `/(S(lit3py55t21z5v55vlm25s55))/`. */
export function redactPathSessions(address: string): string {
  if (!/[(%]/.test(address)) return address;
  return address.replace(cookieless, (segment) => segment.replace(ticket, `$1${redacted}$2`));
}
