import type { HttpHead } from "../../bindings/http.ts";

/** What the cookie holds: which session, and the proof that it is the caller's. */
export interface CookieToken {
  /** 16 bytes as 22 characters of base64url. */
  readonly selector: string;
  /** 32 bytes as 43 characters of base64url. */
  readonly validator: string;
}

/** What becomes of the cookie: a new one, or none. */
export type SetCookie =
  | {
      readonly token: CookieToken;
      /** Time for which the browser keeps it, in seconds; null until it is closed. */
      readonly maxAgeS: number | null;
      readonly sameSite: "lax" | "strict" | "none";
    }
  | "expire";

/** A browser takes a cookie of this prefix only over HTTPS, for one host, from that host (decision 0025). */
const name = "__Host-wfal";

/**
 * The form of a value. The last character of each part holds bits that no byte fills: with any other than 0
 * in them, two texts would stand for the same bytes.
 */
const form = /^v1\.([\w-]{21}[AQgw])\.([\w-]{42}[AEIMQUYcgkosw048])$/;

/**
 * The cookie that a request came with; `"none"` without one, `"bad"` for one that is not of our form, and for
 * several: one of them is planted, and nobody can tell which.
 */
export function readCookie({ headers }: Pick<HttpHead, "headers">): CookieToken | "none" | "bad" {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const header = headers[i] ?? "";
    if (header.length !== 6 || header.toLowerCase() !== "cookie") continue;
    values.push(...valuesIn(headers[i + 1] ?? ""));
  }
  const [value, ...others] = values;
  if (value === undefined) return "none";
  const [, selector, validator] = form.exec(value) ?? [];
  if (others.length > 0 || selector === undefined || validator === undefined) return "bad";
  return { selector, validator };
}

/** Values of our name in one Cookie header; one without a value counts as empty. */
function valuesIn(header: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    const start = firstInk(pair);
    if (!pair.startsWith(name, start)) return [];
    const rest = pair.slice(start + name.length);
    if (rest.startsWith("=")) return [rest.slice(1)];
    return rest === "" ? [""] : [];
  });
}

/**
 * Where a pair begins behind blanks and tabs. Other white space is part of the name: a browser lets a page set a cookie
 * whose name is ours behind such a character.
 */
function firstInk(pair: string): number {
  let start = 0;
  while (pair[start] === " " || pair[start] === "\t") start += 1;
  return start;
}

/** Attributes that a cookie of the prefix must have; no script reads it. */
const always = "Path=/; Secure; HttpOnly";

const sameSites = {
  lax: "SameSite=Lax",
  strict: "SameSite=Strict",
  none: "SameSite=None; Partitioned",
} as const;

/**
 * Values of the Set-Cookie headers that change the cookie. To a browser a cookie is its name, host, path and partition,
 * whatever its SameSite. It may therefore hold one with a partition and one without, and each is
 * expired by a header of its own; both with SameSite=None, because of an answer to another site it takes no other.
 */
export function renderCookie(change: SetCookie): readonly string[] {
  if (change === "expire") {
    const expired = `${name}=; ${always}; SameSite=None`;
    return [`${expired}; Max-Age=0`, `${expired}; Partitioned; Max-Age=0`];
  }
  const { token, maxAgeS, sameSite } = change;
  const value = `v1.${token.selector}.${token.validator}`;
  const lifetime = maxAgeS === null ? "" : `; Max-Age=${maxAgeS}`;
  return [`${name}=${value}; ${always}; ${sameSites[sameSite]}${lifetime}`];
}
