import { type HttpHead, type HttpResponse, headerOf } from "../../bindings/http.ts";
import type { Config } from "../settings/settings.ts";
import { isUnforgeable } from "./own-host.ts";

/** What the Origin of a request means. */
export interface OriginCheck {
  /**
   * `own` where no page of another origin is behind the request, as far as it tells; `form` where the origin
   * is listed for a form, and `allowed` where it may call without credentials only.
   */
  readonly kind: "own" | "form" | "allowed" | "foreign";
  /** Whether the kind is beyond doubt; `own` may rest on a Host that is a name, which DNS rebinding forges. */
  readonly isSure: boolean;
  /** Headers for the answer, whatever it is. */
  readonly headers: readonly string[];
}

/** What origins are judged by. */
export interface CorsOptions {
  readonly config: Pick<Config, "allowedOrigins" | "baseUrl">;
  /** Origins that are listed for forms, in small letters; asked for with each request of another origin, where they matter. */
  formOrigins(): Promise<ReadonlySet<string>>;
  /** Whether forms matter to what is at the address of a request: a look-up, which anybody may make, must not wait for a database. */
  usesForms(head: HttpHead): boolean;
}

/** What an origin is judged from. */
interface OriginRequest {
  readonly head: HttpHead;
  /** Whether it arrived at the admin listener. */
  readonly isAdmin: boolean;
}

/** What the Origin of a request means; a promise, which never rejects, only where forms must be asked for. */
export type CorsPolicy = (request: OriginRequest) => OriginCheck | Promise<OriginCheck>;

/** Time for which a browser may remember that it may ask, in seconds. */
const preflightSeconds = 600;

const own: OriginCheck = { kind: "own", isSure: true, headers: [] };
const ownByName: OriginCheck = { kind: "own", isSure: false, headers: [] };
const foreign: OriginCheck = { kind: "foreign", isSure: true, headers: [] };

/**
 * Makes the judgement of origins (decisions 0017 and 0025): equal to the letter to one that is listed, or our
 * own. Browsers always send an Origin with a POST to another origin; without one, and without their word
 * that the request is cross-site, it is no browser.
 *
 * The judgement is a promise only where forms must be asked, so that most requests need not wait. While
 * forms cannot be known, no origin is listed for one.
 */
export function createCorsPolicy({
  config: { allowedOrigins, baseUrl },
  formOrigins,
  usesForms: asksForms,
}: CorsOptions): CorsPolicy {
  const listed = new Set(allowedOrigins);
  const ownOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;

  function judgeByHost(origin: string, { head, isAdmin }: OriginRequest): OriginCheck {
    if (origin === ownOrigin) return own;
    // The public address is not the one of the admin listener, whose pages have forms too (decision 0051).
    if (ownOrigin !== undefined && !isAdmin) return foreign;
    const host = headerOf(head, "host")?.toLowerCase() ?? "";
    if (origin !== `http://${host}` && origin !== `https://${host}`) return foreign;
    return isUnforgeable(host) ? own : ownByName;
  }

  return (request) => {
    const { head } = request;
    const sent = originOf(head);
    if (sent === undefined) {
      return headerOf(head, "sec-fetch-site") === "cross-site" ? foreign : own;
    }
    const origin = sent.toLowerCase();
    const byHost = judgeByHost(origin, request);
    if (byHost === own) return own;
    const readable = ["Access-Control-Allow-Origin", sent];
    const otherwise: OriginCheck = listed.has(origin)
      ? { kind: "allowed", isSure: true, headers: readable }
      : byHost;
    if (!asksForms(head)) return otherwise;
    const headers = [...readable, "Access-Control-Allow-Credentials", "true"];
    return formOrigins().then(
      (origins) => (origins.has(origin) ? { kind: "form", isSure: true, headers } : otherwise),
      () => otherwise,
    );
  };
}

/** The Origin as sent; of several one text that nobody lists, since a browser sends one. */
function originOf(head: HttpHead): string | undefined {
  const first = headerOf(head, "origin");
  if (first === undefined) return undefined;
  const { headers } = head;
  return headers
    .filter((_value, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === "origin")
    .join(", ");
}

/**
 * Whether cookies and passwords of a request may be acted on: it comes from a page of a form or, beyond doubt,
 * from none of another origin (decision 0025).
 */
export function allowsCredentials({ kind, isSure }: OriginCheck): boolean {
  return kind === "form" || (kind === "own" && isSure);
}

/** Longest origin that is repeated, in characters: a scheme, the longest name of DNS and a port have some 270. */
const originMax = 300;

/** What allows pages of another origin to call, by who may. */
const allowedBy = {
  any: "The setting WFH_ALLOWED_ORIGINS allows an origin.",
  listed:
    "The setting WFH_ALLOWED_ORIGINS allows an origin; wfh forms set --origin allows it for a form, log-in included.",
  credentials: "wfh forms set --origin allows an origin for a form.",
} as const;

/** No setting takes `null`: every page from a file or a sandbox has it. */
const withoutOrigin =
  "A page that is opened from a file or in a sandbox has no origin that can be allowed: serve it over HTTP.";

/** Says which origin is refused, and what allows it. */
export function describeOriginRefusal(head: HttpHead, callers: keyof typeof allowedBy): string {
  const origin = originOf(head)?.slice(0, originMax) || "another site";
  const advice = origin === "null" ? withoutOrigin : allowedBy[callers];
  return `Pages of ${origin} may not call here. ${advice}`;
}

/** Whether a browser asks whether it may call. */
export function isPreflight(head: HttpHead): boolean {
  return head.method === "OPTIONS" && headerOf(head, "access-control-request-method") !== undefined;
}

/** The answer to a browser that asks whether it may call; undefined when the request is no such question. */
export function preflightResponse(
  head: HttpHead,
  verdict: OriginCheck,
  methods: readonly string[],
): HttpResponse | undefined {
  const isListed = verdict.kind === "allowed" || verdict.kind === "form";
  if (!isPreflight(head) || !isListed) return undefined;
  const allowed = methods.join(", ");
  const headers = [
    ...["Allow", allowed, "Access-Control-Allow-Methods", allowed],
    ...["Access-Control-Allow-Headers", "content-type, soapaction"],
    ...["Access-Control-Max-Age", String(preflightSeconds)],
  ];
  return { status: 204, headers, body: "" };
}
