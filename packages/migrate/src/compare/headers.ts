import { redacted } from "../redact-exchange.ts";
import type { Find } from "./tree.ts";

/** Headers of servers and connections, and policies for pages, which clients ignore. */
const meaningless = new RegExp(
  `^(?:${[
    "date|server|via|age|vary|etag|last-modified|expires|pragma|p3p|connection|keep-alive",
    "content-length|content-encoding|transfer-encoding|accept-ranges|alt-svc",
    "x-aspnet.*|x-powered-by|x-request-id|x-sourcefiles|persistent-auth|strict-transport-security",
    "x-frame-options|x-content-type-options|x-xss-protection|x-ua-compatible|referrer-policy",
    "permissions-policy|content-security-policy(?:-report-only)?",
  ].join("|")})$`,
);
/** Headers that clients notice where only we send them. */
const meaningful =
  /^(?:content-(?:type|disposition|language|location|range)|cache-control|jsonerror|location|allow|www-authenticate|set-cookie|retry-after|refresh|link)$/;

/** A header with its values in the order in which they came. */
interface Header {
  /** As it was spelled. */
  readonly spelled: string;
  readonly values: readonly string[];
}

/**
 * Compares headers by their meaning. Values of cookies and other secrets are not looked at.
 *
 * @param at when they were sent, ISO 8601.
 */
export function compareHeaders(
  old: readonly string[],
  ours: readonly string[],
  at: string,
  find: Find,
): void {
  const left = readHeaders(old);
  const right = readHeaders(ours);
  for (const [name, { spelled, values }] of left) {
    const other = right.get(name)?.values;
    const before = normalize(name, values, at);
    const now = other && normalize(name, other, at);
    // What it was is not known, but that it was there is.
    if (now !== undefined && [before, now].includes(redacted)) continue;
    find(`headers/${spelled}`, now === undefined ? "missing" : "value", before, now ?? null);
  }
  for (const [name, { spelled, values }] of right) {
    if (left.has(name) || !meaningful.test(name)) continue;
    find(`headers/${spelled}`, "added", null, normalize(name, values, at));
  }
}

/** Headers by their names in lower case. */
function readHeaders(headers: readonly string[]): ReadonlyMap<string, Header> {
  const found = new Map<string, Header>([
    ["cache-control", { spelled: "Cache-Control", values: [] }],
  ]);
  for (let i = 0; i < headers.length; i += 2) {
    const spelled = headers[i] ?? "";
    const value = headers[i + 1] ?? "";
    const name = spelled.toLowerCase();
    if (meaningless.test(name)) continue;
    found.set(name, { spelled, values: [...(found.get(name)?.values ?? []), value] });
  }
  return found;
}

/** Value of a header in one spelling. */
function normalize(name: string, values: readonly string[], at: string): string {
  if (values.includes(redacted)) return redacted;
  switch (name) {
    case "content-type":
      return values.map(contentType).join(", ");
    case "cache-control":
    case "allow":
      return values.length === 0 ? "not stated" : sortList(values.join(","));
    case "www-authenticate":
      return values.map((value) => value.replace(/\s.*/s, "")).join(", ");
    case "set-cookie":
      return values
        .map((value) => cookieWithoutValue(value, at))
        .sort()
        .join(", ");
    default:
      return values.join(", ");
  }
}

function sortList(text: string): string {
  const items = text.toLowerCase().split(",");
  return items
    .map((item) => item.trim())
    .sort()
    .join(", ");
}

/** JSON is always UTF-8, whether the header says so or not. */
function contentType(text: string): string {
  const [name = "", ...parameters] = text
    .toLowerCase()
    .replaceAll(/["'\s]/g, "")
    .split(";");
  const meant = parameters.filter(
    (one) => one !== "" && !(name === "application/json" && one === "charset=utf-8"),
  );
  return [name, ...meant.sort()].join("; ");
}

/** Name and attributes, and whether it is removed; times of expiry always differ. */
function cookieWithoutValue(cookie: string, at: string): string {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  const isRemoved = attributes.some((one) => {
    const [, name = "", value = ""] = /^(expires|max-age)=(.*)/i.exec(one) ?? [];
    return /^max/i.test(name) ? Number(value) <= 0 : Date.parse(value) <= Date.parse(at);
  });
  const plain = attributes.map((one) =>
    one.replace(/^(?:expires|max-age)=.*/i, "lasting").toLowerCase(),
  );
  return [pair.replace(/=.*/s, isRemoved ? " removed" : ""), ...new Set(plain.sort())].join("; ");
}
