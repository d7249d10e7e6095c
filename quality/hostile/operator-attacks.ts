import { randomBytes } from "node:crypto";
import type { OperatorSite } from "@wfh/console/test/operator-site.ts";

/** A request that must get no data. */
export interface OperatorAttack {
  readonly what: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of a form, for an action. */
  readonly fields?: Readonly<Record<string, string>>;
  /** False for a plain visit without a log-in, which is no attempt. */
  readonly isCounted: boolean;
}

/** Cookies and tokens that attackers have or make up. */
export interface Loot {
  /** Cookies of sessions that have ended: by log-out, a new password and a removal. */
  readonly endedCookies: readonly string[];
  /** The cookie and the CSRF token of an operator of all forms, from another browser. */
  readonly cookie: string;
  readonly csrf: string;
  /** A viewer of the form 8 only. */
  readonly viewerCookie: string;
  readonly viewerCsrf: string;
  readonly endedToken: string;
  /** A token of the form 8 only. */
  readonly otherToken: string;
}

/** Pages and reports with data of the form 7. */
export const dataPaths = {
  pages: [
    "/operator",
    "/operator?csv=forms",
    "/operator?form=7",
    "/operator?form=7&csv=pages",
    "/operator/accounts",
    "/operator/accounts?csv=accounts",
    "/operator/account?id=7",
    "/operator/events",
    "/operator/live",
    "/operator/live/events",
  ],
  reports: [
    "/api/v1/reports/pages",
    "/api/v1/reports/pages?form=7",
    "/api/v1/reports/pages?format=csv",
    "/api/v1/reports/referrers?form=7&format=csv",
  ],
} as const;

/** Paths that show a viewer of another form nothing but a refusal. */
const otherFormPaths = [
  "/operator?form=7",
  "/operator?form=7&csv=pages",
  "/operator/accounts",
  "/operator/accounts?csv=accounts",
  "/operator/account?id=7",
];

const cookieName = "wfh-operator";
const madeUp = () => randomBytes(32).toString("base64url");

/** The cookie with one character of its token changed. */
function changed(cookie: string, at: number): string {
  const i = cookieName.length + 1 + (at % 42);
  return `${cookie.slice(0, i)}${cookie[i] === "A" ? "B" : "A"}${cookie.slice(i + 1)}`;
}

/** Ways to send a page's request without a log-in; the number varies what is made up. */
function forgedHeaders(loot: Loot, i: number): Readonly<Record<string, Record<string, string>>> {
  const ended = loot.endedCookies[i % loot.endedCookies.length] ?? "";
  return {
    "a made-up cookie": { Cookie: `${cookieName}=${madeUp()}` },
    "a changed cookie": { Cookie: changed(loot.cookie, i) },
    "an old cookie": { Cookie: ended },
    "a forged header": { "X-Forwarded-User": "Ada" },
    "a header with a wrong secret": {
      "X-Forwarded-User": "Ada",
      "X-Wfh-Proxy-Secret": "s".repeat(63) + String(i % 10),
    },
    "a header twice": { "X-Forwarded-User": "Ada, Ada" },
  };
}

/** As above, for what is no attempt: there is no log-in in it that could be refused. */
function strayHeaders(loot: Loot): Readonly<Record<string, Record<string, string>>> {
  const [, token = ""] = loot.cookie.split("=");
  return {
    "no cookie": {},
    "the cookie of HTTPS": { Cookie: `__Host-${loot.cookie}` },
    "a cookie twice": { Cookie: `${loot.cookie}; ${loot.cookie}` },
    "a cookie as a token": { Authorization: `Bearer ${token}` },
    "a token in place of a cookie": { Cookie: `${cookieName}=${loot.otherToken}` },
    "another header of a name": { "X-Remote-User": "Ada" },
  };
}

function bearerHeaders(loot: Loot): Readonly<Record<string, Record<string, string>>> {
  const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });
  return {
    "no token": {},
    "a made-up token": bearing(`wfh_${madeUp()}`),
    "an ended token": bearing(loot.endedToken),
    "an operator's cookie": { Cookie: loot.cookie },
    "the cookie as a token": bearing(loot.cookie.split("=")[1] ?? ""),
    "Basic in place of Bearer": { Authorization: `Basic ${loot.otherToken}` },
    "a forged header": { "X-Forwarded-User": "Ada" },
  };
}

/** Actions that a page of another site, a viewer or an old page tries. */
function actionsOf(loot: Loot): readonly OperatorAttack[] {
  const site = (value: string) => ({ "Sec-Fetch-Site": value });
  const own = site("same-origin");
  const tries: readonly [string, Record<string, string>, string][] = [
    ["no CSRF token", { Cookie: loot.cookie, ...own }, ""],
    ["the CSRF token of another session", { Cookie: loot.cookie, ...own }, loot.viewerCsrf],
    ["a page of another site", { Cookie: loot.cookie, ...site("cross-site") }, loot.csrf],
    ["a page of a neighbour", { Cookie: loot.cookie, ...site("same-site") }, loot.csrf],
    ["the role of a viewer", { Cookie: loot.viewerCookie, ...own }, loot.viewerCsrf],
    ["an operator's CSRF token", { Cookie: loot.viewerCookie, ...own }, loot.csrf],
    ["an old session", { Cookie: loot.endedCookies[0] ?? "", ...own }, loot.csrf],
  ];
  return tries.map(([what, headers, csrf]) => ({
    what: `an action with ${what}`,
    path: "/operator/account?id=7",
    headers,
    fields: { csrf, action: "disable" },
    isCounted: true,
  }));
}

/** One round of all attacks. */
export function attacksOf(loot: Loot, round: number): readonly OperatorAttack[] {
  const over = (
    paths: readonly string[],
    ways: Readonly<Record<string, Record<string, string>>>,
    isCounted: boolean,
  ) =>
    paths.flatMap((path) =>
      Object.entries(ways).map(([what, headers]) => ({ what, path, headers, isCounted })),
    );
  const viewer = { "a viewer of another form": { Cookie: loot.viewerCookie } };
  const other = { "a token of another form": { Authorization: `Bearer ${loot.otherToken}` } };
  return [
    ...over(dataPaths.pages, forgedHeaders(loot, round), true),
    ...over(dataPaths.pages, strayHeaders(loot), false),
    ...over(dataPaths.reports, bearerHeaders(loot), true),
    ...over(otherFormPaths, viewer, true),
    ...over(
      dataPaths.reports.filter((path) => path.includes("form=7")),
      other,
      true,
    ),
    ...actionsOf(loot),
  ];
}

/** Sends an attack from an address, without following redirects. */
export function sendAttack(
  { url }: Pick<OperatorSite, "url">,
  { path, headers, fields }: OperatorAttack,
  address: string,
): Promise<Response> {
  return fetch(url + path, {
    method: fields === undefined ? "GET" : "POST",
    redirect: "manual",
    headers: { "X-Forwarded-For": address, ...headers },
    ...(fields !== undefined && { body: new URLSearchParams(fields) }),
  });
}
