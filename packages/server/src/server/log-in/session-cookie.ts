import type { HttpHead } from "../../bindings/http.ts";

/** Content of the session cookie: the session, and the proof that it is the caller's. */
export interface CookieToken {
  /** 16 bytes as 22 characters of base64url. */
  readonly selector: string;
  /** 32 bytes as 43 characters of base64url. */
  readonly validator: string;
}

/** Sets or expires the session cookie. All but `expire` also expire those of the old server. */
export type SetCookie =
  | {
      readonly token: CookieToken;
      /** Lifetime in seconds; null until the browser is closed. */
      readonly maxAgeS: number | null;
      readonly sameSite: "lax" | "strict" | "none";
    }
  | "expire"
  | "log-out";

/** The cookies of the old server (decision 0082). */
export interface LegacyCookies {
  readonly names: readonly string[];
  /** The Path and Domain that it sets them with; the domain is `""` where it names none. */
  readonly path: string;
  readonly domain: string;
}

/** Browsers accept this prefix only over HTTPS, for one host, from that host (decision 0025). */
const name = "__Host-wfal";

/** Last characters have bits that no byte fills: 0, or two texts would stand for the same bytes. */
const valuePattern = /^v1\.([\w-]{21}[AQgw])\.([\w-]{42}[AEIMQUYcgkosw048])$/;

/** Reads the session cookie; `"none"` without one, `"bad"` if malformed or several: one planted. */
export function readCookie(head: Pick<HttpHead, "headers">): CookieToken | "none" | "bad" {
  const [value, ...others] = cookieValues(head, name);
  if (value === undefined) return "none";
  const [, selector, validator] = valuePattern.exec(value) ?? [];
  if (others.length > 0 || selector === undefined || validator === undefined) return "bad";
  return { selector, validator };
}

/** OWIN splits a long cookie, and says so in the cookie of that name. */
const chunks = /^chunks:([1-9])$/;

/** Reads the old server's cookies, joins those that OWIN split, and leaves out repeated names. */
export function readLegacyCookies(head: Pick<HttpHead, "headers">, names: readonly string[]) {
  return names.flatMap((name) => {
    const whole = cookieValues(head, name);
    const count = Number(chunks.exec(whole[0] ?? "")?.[1] ?? 0);
    const split = Array.from({ length: count }, (_, i) => cookieValues(head, `${name}C${i + 1}`));
    if ([whole, ...split].some(({ length }) => length !== 1)) return [];
    return { name, text: (count === 0 ? whole : split).join("") };
  });
}

/** Renders the Set-Cookie headers that expire the old server's cookies, those that came. */
export function expireLegacyCookies(
  head: Pick<HttpHead, "headers">,
  { names, path, domain }: LegacyCookies,
): readonly string[] {
  const parts = ["", ..."123456789"].map((number) => (number === "" ? "" : `C${number}`));
  const place = `Path=${path}${domain === "" ? "" : `; Domain=${domain}`}`;
  return names
    .flatMap((name) => parts.map((part) => name + part))
    .filter((name) => cookieValues(head, name).length > 0)
    .map((name) => `${name}=; ${place}; Secure; HttpOnly; SameSite=None; Max-Age=0`);
}

/** Values of all cookies of a name, in their order. */
export function cookieValues(
  { headers }: Pick<HttpHead, "headers">,
  name: string,
): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const header = headers[i] ?? "";
    if (header.length === 6 && header.toLowerCase() === "cookie") {
      values.push(...valuesIn(headers[i + 1] ?? "", name));
    }
  }
  return values;
}

/** Values of a cookie in one Cookie header; one without a value counts as empty. */
function valuesIn(header: string, name: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    // Only blanks and tabs: a page can set a cookie of our name after other white space.
    const trimmed = pair.replace(/^[ \t]+/, "");
    if (!trimmed.startsWith(name)) return [];
    const rest = trimmed.slice(name.length);
    if (rest.startsWith("=")) return [rest.slice(1)];
    return rest === "" ? [""] : [];
  });
}

/** Attributes that the prefix requires; scripts cannot read the cookie. */
const required = "Path=/; Secure; HttpOnly";

const sameSites = {
  lax: "SameSite=Lax",
  strict: "SameSite=Strict",
  none: "SameSite=None; Partitioned",
} as const;

/**
 * Renders the Set-Cookie headers of a change. A browser may hold the cookie with and without a
 * partition, and each is expired by a header of its own; both with SameSite=None, because a browser
 * accepts no other in a response to another site.
 */
export function renderCookie(change: SetCookie): readonly string[] {
  if (typeof change === "string") {
    const expired = `${name}=; ${required}; SameSite=None`;
    return [`${expired}; Max-Age=0`, `${expired}; Partitioned; Max-Age=0`];
  }
  const { token, maxAgeS, sameSite } = change;
  const value = `v1.${token.selector}.${token.validator}`;
  const lifetime = maxAgeS === null ? "" : `; Max-Age=${maxAgeS}`;
  return [`${name}=${value}; ${required}; ${sameSites[sameSite]}${lifetime}`];
}
