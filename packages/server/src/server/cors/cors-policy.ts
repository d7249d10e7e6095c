import { isIP } from "node:net";
import {
  exposedHeaders,
  type HttpHead,
  type HttpResponse,
  headerOf,
  readSpelledTarget,
  readTarget,
} from "../../bindings/http.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { restApi } from "../../contract/rest-api.ts";
import { originMax, pagesOf } from "../../fault.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { textResponse } from "../http/response.ts";
import type { Config } from "../settings/settings.ts";

/** Meaning of the Origin of a request. */
export interface OriginCheck {
  /**
   * `own`: as far as it tells, no other origin's page sent it. `form`: registered for a form.
   * `allowed`: it is in WFH_ALLOWED_ORIGINS and may call without credentials. `foreign`: any other.
   */
  readonly kind: "own" | "form" | "allowed" | "foreign";
  /** False where the kind rests on a Host that is a name: DNS rebinding can forge it. */
  readonly isSure: boolean;
  /** CORS headers of the response. */
  readonly headers: readonly string[];
}

/** Collaborators of the CORS policy. */
export interface CorsOptions {
  readonly config: Pick<Config, "allowedOrigins" | "baseUrl">;
  /** Origins registered for forms, in small letters. */
  formOrigins(): Promise<ReadonlySet<string>>;
  /** True when form origins matter at an address: open look-ups must not wait for a database. */
  usesForms(head: HttpHead): boolean;
}

/** Checks a request's Origin. Returns a promise, which never rejects, only to look up forms. */
export type CorsPolicy = (
  request: Pick<IncomingRequest, "head" | "isAdmin">,
) => OriginCheck | Promise<OriginCheck>;

/** Time that a browser may cache a preflight response, in seconds. */
const preflightMaxAgeS = 600;

const withCredentials = ["Access-Control-Allow-Credentials", "true"];

/** Our own origin, or no browser. */
export const own: OriginCheck = { kind: "own", isSure: true, headers: [] };
const ownByName: OriginCheck = { kind: "own", isSure: false, headers: [] };
const foreign: OriginCheck = { kind: "foreign", isSure: true, headers: [] };

/**
 * Creates the CORS policy (decisions 0017 and 0025): a listed origin and our own are allowed.
 * Browsers send an Origin with every POST to another origin. A request without one is no browser's,
 * unless Sec-Fetch-Site calls it cross-site. When form origins are unknown, none is a form's.
 */
export function createCorsPolicy({
  config: { allowedOrigins, baseUrl },
  formOrigins,
  usesForms,
}: CorsOptions): CorsPolicy {
  const listed = new Set(allowedOrigins);
  const ownOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;

  function checkHost(origin: string, head: HttpHead, isAdmin: boolean): OriginCheck {
    if (origin === ownOrigin) return own;
    // The public address is not the admin listener's, whose pages have forms too (decision 0051).
    if (ownOrigin !== undefined && !isAdmin) return foreign;
    const host = headerOf(head, "host")?.toLowerCase() ?? "";
    if (origin !== `http://${host}` && origin !== `https://${host}`) return foreign;
    return isUnforgeable(host) ? own : ownByName;
  }

  return ({ head, isAdmin }) => {
    if (headerOf(head, "origin") === undefined) {
      return headerOf(head, "sec-fetch-site") === "cross-site" ? foreign : own;
    }
    const sent = originOf(head);
    const origin = sent.toLowerCase();
    const byHost = checkHost(origin, head, isAdmin);
    if (byHost === own) return own;
    const readable = ["Access-Control-Allow-Origin", sent, ...exposedHeaders];
    const otherwise: OriginCheck = listed.has(origin)
      ? { kind: "allowed", isSure: true, headers: readable }
      : byHost;
    if (!usesForms(head)) return otherwise;
    const headers = [...readable, ...withCredentials];
    return formOrigins().then(
      (origins) => (origins.has(origin) ? { kind: "form", isSure: true, headers } : otherwise),
      () => otherwise,
    );
  };
}

/** Creates the check whether a form decides which origins may make a call. */
export function createFormsCheck(
  services: readonly Pick<ServiceContract, "callers" | "path">[],
): CorsOptions["usesForms"] {
  const open = services.filter(({ callers }) => callers === "any");
  return ({ path, method }) =>
    !((method === "GET" || method === "HEAD") && path.startsWith(`${restApi.path}/`)) &&
    !open.some(
      (service) => readTarget(path, service.path) ?? readSpelledTarget(path, service.path),
    );
}

/** The Origin as sent. A browser sends one; several are joined to a text that matches no origin. */
function originOf({ headers }: HttpHead): string {
  return headers
    .filter((_value, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === "origin")
    .join(", ");
}

/** Headers to let any origin read a refusal without private data; none for an impossible Origin. */
export function readableByOrigin(head: HttpHead): readonly string[] {
  const origin = originOf(head);
  if (origin.length > originMax || !/^[!-~]+$/.test(origin)) return [];
  return ["Access-Control-Allow-Origin", origin, ...exposedHeaders, ...withCredentials];
}

/** True if credentials may be used: from a form or surely no other origin (decision 0025). */
export function allowsCredentials({ kind, isSure }: OriginCheck): boolean {
  return kind === "form" || (kind === "own" && isSure);
}

/** Advice on allowing an origin, by who may call. */
const allowedBy = {
  any: "Add it to the setting WFH_ALLOWED_ORIGINS to allow it.",
  listed:
    "The setting WFH_ALLOWED_ORIGINS allows an origin; wfh forms add (or set) --origin allows it for a form, log-in included.",
  credentials: "wfh forms add (or set) --origin allows an origin for a form.",
} as const;

/** No setting accepts `null`: every page from a file or a sandbox sends it. */
const withoutOrigin =
  "A page that is opened from a file or in a sandbox has no origin that can be allowed: serve it over HTTP.";

/** Says which origin is refused, and how to allow it. */
export function describeOriginRefusal(head: HttpHead, callers: keyof typeof allowedBy): string {
  const origin = originOf(head);
  const advice = origin === "null" ? withoutOrigin : allowedBy[callers];
  return `${pagesOf(origin)} may not call here. ${advice}`;
}

/** Returns true for a CORS preflight. */
export function isPreflight(head: HttpHead): boolean {
  return head.method === "OPTIONS" && headerOf(head, "access-control-request-method") !== undefined;
}

const namedHeaders = "content-type, soapaction, traceparent, tracestate";

/** Headers that pages may send, by who calls (`any` origin); credentials and IE rule out `*`. */
const requestHeaders = { any: "*", allowed: `*, ${namedHeaders}`, form: namedHeaders } as const;

/** The response to a preflight of an allowed origin; undefined for any other request. */
export function preflightResponse(
  head: HttpHead,
  kind: OriginCheck["kind"] | "any",
  methods: readonly string[],
  { token: needsToken }: { readonly token: boolean } = { token: false },
): HttpResponse | undefined {
  if (!isPreflight(head) || kind === "own" || kind === "foreign") return undefined;
  const allowed = methods.join(", ");
  const headers = [
    "Allow",
    allowed,
    "Access-Control-Allow-Methods",
    allowed,
    "Access-Control-Allow-Headers",
    // `*` does not stand for it.
    needsToken ? `${requestHeaders[kind]}, authorization` : requestHeaders[kind],
    "Access-Control-Max-Age",
    String(preflightMaxAgeS),
  ];
  return { status: 204, headers, body: "" };
}

const foreignHost = textResponse(
  403,
  "Call the admin listener by localhost or an IP address: another name in Host may come from a page of another site (DNS rebinding).",
);
const foreignOrigin = textResponse(403, "Pages of other origins may not call the admin listener.");

/** Keeps other origins' pages from using an operator's browser on admin pages (decision 0051). */
export function createAdminAccess({ adminHost }: Pick<Config, "adminHost">) {
  // At an address other than loopback a network name is expected, and looks like a foreign one.
  const checksHost = isThisMachine(adminHost);
  return (
    { head }: Pick<IncomingRequest, "head">,
    { kind }: OriginCheck,
  ): HttpResponse | undefined => {
    if (checksHost && !isUnforgeable(headerOf(head, "host") ?? "")) return foreignHost;
    const isForeign = headerOf(head, "origin") !== undefined && kind !== "own";
    return isForeign ? foreignOrigin : undefined;
  };
}

/** True for a Host that no other machine can serve: an IP or a name of this one (DNS rebinding). */
function isUnforgeable(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isIP(name) !== 0;
}

/** Returns true for a Host or listen address of this machine: localhost or a loopback address. */
export function isThisMachine(host: string): boolean {
  const name = nameOf(host);
  return isLocalName(name) || isLoopback(name);
}

/** Returns true for plain HTTP to another machine, which can be read on the way. */
export function isExposed(origin: string): boolean {
  const { protocol, host } = new URL(origin);
  return protocol === "http:" && !isThisMachine(host);
}

/** Returns true for a loopback address, without brackets and port. */
export function isLoopback(address: string): boolean {
  return address === "::1" || (address.startsWith("127.") && isIP(address) === 4);
}

function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

/** A Host in small letters, without its port and brackets. */
function nameOf(host: string): string {
  const lower = host.toLowerCase();
  if (isIP(lower) !== 0) return lower;
  return /^\[([0-9a-f:.]+)\](?::\d+)?$/.exec(lower)?.[1] ?? lower.replace(/:\d+$/, "");
}
