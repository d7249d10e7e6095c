import { listValues } from "../../bindings/http.ts";
import { redacted } from "../redact.ts";
import type { Findings } from "./tree.ts";

/** What servers and connections add by themselves; clients of the services do not look at it. */
const meaningless = new RegExp(
  `^(?:${[
    "date|server|via|age|vary|etag|last-modified|expires|pragma|p3p|connection|keep-alive",
    "content-length|content-encoding|transfer-encoding|accept-ranges|alt-svc",
    "x-aspnet.*|x-powered-by|x-request-id|x-sourcefiles|persistent-auth|strict-transport-security",
  ].join("|")})$`,
);
/** Headers that clients notice where only we send them. */
const meaningful =
  /^(?:content-type|cache-control|jsonerror|location|allow|www-authenticate|set-cookie)$/;

type Headers = readonly string[];

/** Compares headers by their meaning. Values of cookies and other secrets are not looked at. */
export function compareHeaders(old: Headers, ours: Headers, findings: Findings): void {
  const isMeant = (name: string) => meaningful.test(name);
  const names = new Map([...namesOf(ours).filter(([name]) => isMeant(name)), ...namesOf(old)]);
  for (const [name, spelled] of names) {
    const [left, right] = [normalize(old, name), normalize(ours, name)];
    const path = `headers/${spelled}`;
    if (left === redacted || right === redacted) continue;
    if (left === null || right === null) {
      findings.add(path, left === null ? "added" : "missing", left, right);
    } else findings.value(path, left, right);
  }
}

/** Names in lower case, and as they are spelled. */
function namesOf(headers: Headers): readonly (readonly [lower: string, spelled: string])[] {
  return headers
    .filter((_, i) => i % 2 === 0)
    .map((name) => [name.toLowerCase(), name] as const)
    .filter(([name]) => !meaningless.test(name));
}

/** What a header says, in one spelling; null without one. */
function normalize(headers: Headers, name: string): string | null {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name);
  if (values.length === 0) return name === "cache-control" ? "not stated" : null;
  if (values.includes(redacted)) return redacted;
  switch (name) {
    case "content-type":
      return contentType(values[0] ?? "");
    case "cache-control":
    case "allow":
      return listValues({ headers }, name).sort().join(", ").toLowerCase();
    case "www-authenticate":
      return values.map((value) => value.replace(/\s.*/s, "")).join(", ");
    case "set-cookie":
      return values.map(cookieWithoutValue).sort().join(", ");
    default:
      return values.join(", ");
  }
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

/** Name and attributes; when it expires is a moment that differs by nature. */
function cookieWithoutValue(cookie: string): string {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  const lasting = attributes.map((one) => one.replace(/^(?:expires|max-age)=.*/i, "lasting"));
  return [
    pair.replace(/=.*/s, ""),
    ...new Set(lasting.map((one) => one.toLowerCase()).sort()),
  ].join("; ");
}
