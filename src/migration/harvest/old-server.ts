import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { addAbortSignal, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { readMediaType } from "../../bindings/http.ts";
import { decodeXml } from "../../codec/decode-text.ts";
import { parseScalar } from "../../codec/scalars.ts";
import { isNil } from "../../codec/xml/parts.ts";
import { createXmlReader, type XmlElement } from "../../codec/xml/reader.ts";
import { locationResult } from "../../contract/location-helper.ts";
import type { Shape, ShapeValue } from "../../contract/operation.ts";
import { messageOf } from "../../lib/file-error.ts";
import type { ClientRequest } from "../../metadata/samples/request.ts";
import { readBody, Upstream } from "../http.ts";
import { decompress } from "../redact.ts";

/** A value of which an old server may leave out any part: null. */
type Partly<Value> = {
  readonly [Name in keyof Value]: NonNullable<Value[Name]> extends object
    ? Partly<NonNullable<Value[Name]>> | null
    : Value[Name] | null;
};

/** The place of a postal code as an old server has it. */
export type OldPlace = Partly<ShapeValue<typeof locationResult>>;

/** What an old server responds for one postal code. */
export type OldResponse =
  | { readonly kind: "found"; readonly place: OldPlace }
  | { readonly kind: "not-found" }
  | { readonly kind: "failed"; readonly reason: string };

/** How an old server is asked. */
export interface OldServerOptions {
  readonly requestOf: (postalCode: string) => ClientRequest;
  /** Time between the starts of two requests. */
  readonly intervalMs: number;
  /** Time for each response. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A harvest that cannot go on; the message says why and what to do. */
export class HarvestError extends Error {}

/** Requests for one code; the pause before each is four times the one before. */
const attemptsMax = 3;
/** Codes that may fail one after the other before any has succeeded, where there is a response at all. */
const failedCodesMax = 5;
/** Longest pause that an old server may ask for. */
const retryAfterMaxMs = 600_000;
/** Longest response, in bytes after gzip: a thousand times that of a place. */
const responseBytesMax = 1_048_576;
/** Length of the text in which a reason for a failure is looked for. */
const searchedCharacters = 10_000;

const enableGet =
  '\nIs HTTP GET off? Add this to <system.web> in its web.config, or use --binding soap11:\n  <webServices><protocols><add name="HttpGet" /></protocols></webServices>';
const readXml = createXmlReader();

/** Asks an old server for postal codes: one at a time, in intervals. */
export class OldServer {
  readonly #options: OldServerOptions;
  readonly #upstream: Upstream;
  #startedMs = Number.NEGATIVE_INFINITY;
  #failedCodes = 0;
  #hasResponded = false;
  /** A code to which it has responded: it tells a code that fails from a server that fails. */
  #controlCode: string | undefined;

  constructor(options: OldServerOptions) {
    this.#options = options;
    const { origin } = new URL(options.requestOf("").url);
    const name = "the old server";
    this.#upstream = new Upstream({ name, url: new URL(origin), silenceMs: options.timeoutMs });
  }

  /** Closes its connections. */
  close(): void {
    this.#upstream.close();
  }

  /**
   * Asks for a code. One that fails again and again is a response, as long as others do not.
   *
   * @throws {HarvestError} when there is no point in asking for others.
   */
  async ask(postalCode: string): Promise<OldResponse> {
    const response = await this.#askRepeatedly(postalCode);
    if (response.kind !== "failed") {
      this.#controlCode = postalCode;
      return response;
    }
    this.#failedCodes += 1;
    const isDown =
      this.#controlCode === undefined
        ? !this.#hasResponded || this.#failedCodes === failedCodesMax
        : (await this.#askRepeatedly(this.#controlCode)).kind === "failed";
    if (!isDown) return response;
    const advice = response.reason.startsWith("status 500") ? enableGet : "";
    throw new HarvestError(`The old server fails again and again: ${response.reason}${advice}`);
  }

  async #askRepeatedly(postalCode: string): Promise<OldResponse> {
    const { intervalMs, signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const waitMs = this.#startedMs + intervalMs - performance.now();
      if (waitMs > 0) await pause(waitMs, undefined, { signal });
      this.#startedMs = performance.now();
      const { retryAfterMs, ...response } = await this.#askOnce(postalCode);
      if (response.kind !== "failed" || attempt === attemptsMax) return response;
      if (retryAfterMs > retryAfterMaxMs) {
        throw new HarvestError(
          `The old server asks for a pause of ${Math.ceil(retryAfterMs / 60_000)} minutes.`,
        );
      }
      await pause(Math.max(retryAfterMs, intervalMs * 4 ** attempt), undefined, { signal });
    }
  }

  async #askOnce(postalCode: string): Promise<OldResponse & { readonly retryAfterMs: number }> {
    const { requestOf, timeoutMs, signal } = this.#options;
    const { url, method, headers, body } = requestOf(postalCode);
    const { host, pathname, search } = new URL(url);
    const bytes = Buffer.from(body ?? "");
    const length = body === null ? {} : { "Content-Length": String(bytes.length) };
    const head = {
      ...{ method, target: pathname + search },
      headers: Object.entries({ Host: host, ...headers, ...length }).flat(),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const both = AbortSignal.any([signal, timeout]);
    try {
      const response = await this.#upstream.send(head, bytes, both);
      this.#hasResponded = true;
      const refusal = describeRefusal(response);
      if (refusal !== undefined) {
        const status = `${url.replace(/\/PostalCodeToCityState\b.*/, "")} has status ${response.statusCode}`;
        throw new HarvestError(`${status}. ${refusal}`);
      }
      const retryAfterMs = readRetryAfter(response.headers["retry-after"]);
      const read = await readBody(addAbortSignal(both, response), responseBytesMax);
      return { ...readResponse(response, read), retryAfterMs };
    } catch (cause) {
      if (signal.aborted || cause instanceof HarvestError) throw cause;
      const reason = timeout.aborted
        ? `no complete response within ${timeoutMs / 1_000} s`
        : this.#upstream.toError(cause).message;
      return { kind: "failed", reason, retryAfterMs: 0 };
    }
  }
}

/** What to do about a response that every code would have; undefined where codes may have others. */
function describeRefusal({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode >= 300 && statusCode < 400) {
    return `It redirects to ${headers.location}. If that is its new address, use it with --from. If it is a log-in page, allow this machine to call the service without a log-in.`;
  }
  if ([401, 403].includes(statusCode)) {
    return "It asks for a log-in: allow this machine to call it without one.";
  }
  if ([404, 405, 415].includes(statusCode)) {
    return "Give the address of the .asmx file, or try another --binding.";
  }
  return undefined;
}

/** Reads seconds or a date, as milliseconds from now. */
function readRetryAfter(value = ""): number {
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Reads a result; all else has failed, for a reason that quotes what can be read of it. */
function readResponse(
  { statusCode: status, headers }: IncomingMessage,
  body: Buffer | Readable,
): OldResponse {
  let text = "";
  const reasons = [`status ${status}`];
  try {
    text = decodeBody(headers, body);
    if (status === 200) return readResult(readXml(text));
  } catch (cause) {
    reasons.push(messageOf(cause));
  }
  // Of a page, its title and heading; of a fault, its reason.
  const words = text
    .slice(0, searchedCharacters)
    .replace(/<style\b[^<]*<\/style>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (words !== "") reasons.push(`"${words.slice(0, 200)}"`);
  return { kind: "failed", reason: reasons.join(", ") };
}

/** The text of a body. Some servers compress it unasked. */
function decodeBody(headers: IncomingHttpHeaders, body: Buffer | Readable): string {
  if (!Buffer.isBuffer(body)) throw new RangeError("longer than 1 MiB");
  const plain = decompress(body, headers["content-encoding"]?.trim().toLowerCase());
  if (plain === undefined) throw new TypeError("cannot be decompressed");
  return decodeXml(plain, readMediaType(headers["content-type"] ?? "").charset);
}

/** Reads the result in a document: its root element, or what an envelope has. @throws {SyntaxError} */
function readResult(root: XmlElement): OldResponse {
  let element: XmlElement | undefined = root;
  if (root.name === "Envelope") {
    const [content] = root.children.find(({ name }) => name === "Body")?.children ?? [];
    if (content?.name !== "PostalCodeToCityStateResponse") {
      throw new SyntaxError("not a response of PostalCodeToCityState");
    }
    // A null result is left out, or nil.
    element = content.children[0];
  }
  if (element === undefined || isNil(element)) return { kind: "not-found" };
  const { name, children } = element;
  if (children.length > 0 && !children.some((child) => child.name in locationResult.parts)) {
    throw new SyntaxError(`not a place: element ${name}`);
  }
  const place = readShape(element, locationResult) as OldPlace;
  // Some servers return an object without values.
  if (place.City === null || place.City.trim() === "") return { kind: "not-found" };
  if (place.State === null) throw new SyntaxError(`a city without a state: ${place.City}`);
  return { kind: "found", place };
}

/** Reads the parts by their local names; null for one that is absent or nil. */
function readShape({ children }: XmlElement, shape: Shape): Readonly<Record<string, unknown>> {
  const parts = Object.entries(shape.parts).map(([name, { type }]) => {
    const child = children.find((one) => one.name === name);
    if (child === undefined || isNil(child)) return [name, null] as const;
    if (typeof type !== "string") return [name, readShape(child, type)] as const;
    return [name, parseScalar[type](child.text)] as const;
  });
  return Object.fromEntries(parts);
}
