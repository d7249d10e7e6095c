import type { IncomingMessage } from "node:http";
import { addAbortSignal, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
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

/** An old server that cannot be asked any further; the message says why and what to do. */
export class OldServerError extends Error {}

/** Requests for one code; the pause before each is four times the one before. */
const attemptsMax = 3;
/** Codes that may fail one after the other before any has succeeded, where there is a response at all. */
const failedCodesMax = 5;
/** Longest pause that an old server may ask for. */
const retryAfterMaxMs = 600_000;
/** Longest response, in bytes after gzip: a thousand times that of a place. */
const responseBytesMax = 1_048_576;

const enableGet =
  'Add this to <system.web> in its web.config, or use --binding soap11:\n  <webServices><protocols><add name="HttpGet" /></protocols></webServices>';
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
   * @throws {OldServerError} when there is no point in asking for others.
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
    const advice = /status 500/.test(response.reason) ? `\nIs HTTP GET off? ${enableGet}` : "";
    throw new OldServerError(`The old server fails again and again: ${response.reason}${advice}`);
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
        throw new OldServerError(
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
    const sent = {
      Host: host,
      ...headers,
      ...(body !== null && { "Content-Length": bytes.length }),
    };
    const head = {
      ...{ method, target: pathname + search },
      headers: Object.entries(sent).flatMap(([name, value]) => [name, String(value)]),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const both = AbortSignal.any([signal, timeout]);
    try {
      const response = await this.#upstream.send(head, bytes, both);
      this.#hasResponded = true;
      requireService(response, url);
      const retryAfterMs = readRetryAfter(response.headers["retry-after"]);
      const read = await readBody(addAbortSignal(both, response), responseBytesMax);
      return { ...readResponse(response, decodeBody(response, read)), retryAfterMs };
    } catch (cause) {
      if (signal.aborted || cause instanceof OldServerError) throw cause;
      const reason = timeout.aborted
        ? `no complete response within ${timeoutMs / 1_000} s`
        : this.#upstream.toError(cause).message;
      return { kind: "failed", reason, retryAfterMs: 0 };
    }
  }
}

/** Throws where every code would have the same response, and none of the service. */
function requireService({ statusCode: status = 0, headers }: IncomingMessage, url: string): void {
  const address = url.replace(/\/PostalCodeToCityState\b.*/, "");
  if (status >= 300 && status < 400) {
    throw new OldServerError(
      `${address} redirects to ${headers.location}. If that is its new address, use it with --from. If it is a log-in page, allow this machine to call the service without a log-in.`,
    );
  }
  const problem = problems[status];
  if (problem === undefined) return;
  throw new OldServerError(`${address} has status ${status}. ${problem}`);
}

const needsLogIn = "It asks for a log-in: allow this machine to call it without one.";
const isOther = "Give the address of the .asmx file, or try another --binding.";
const problems: Readonly<Record<number, string>> = {
  ...{ 401: needsLogIn, 403: needsLogIn, 404: isOther, 405: isOther, 415: isOther },
};

/** Reads seconds or a date, as milliseconds from now. */
function readRetryAfter(value = ""): number {
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Undoes a compression, which some servers use unasked. */
function decodeBody({ headers }: IncomingMessage, body: Buffer | Readable): Buffer {
  if (!Buffer.isBuffer(body)) throw new Error("the response is longer than 1 MiB");
  const plain = decompress(body, headers["content-encoding"]?.trim().toLowerCase());
  if (plain === undefined) throw new Error("the response cannot be decompressed");
  return plain;
}

function readResponse(
  { statusCode: status, headers }: IncomingMessage,
  bytes: Buffer,
): OldResponse {
  const shown = status === 200 ? "" : `status ${status}, `;
  const fail = (reason: string): OldResponse => ({
    kind: "failed",
    reason: `${shown}${reason.slice(0, 200)}`,
  });
  if (bytes.length === 0) return fail("no body");
  let text: string;
  try {
    const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1];
    text = decodeXml(bytes, charset);
  } catch (cause) {
    return fail(messageOf(cause));
  }
  // What ASMX says where the protocol is off and details are shown, in English or another language.
  if (/format is unrecognized|InvalidOperationException.*\/PostalCodeToCityState\b/s.test(text)) {
    throw new OldServerError(`HTTP GET is off on the old server. ${enableGet}`);
  }
  if (/^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)/i.test(text)) {
    const title = /<title>([^<]{1,200})/i.exec(text)?.[1]?.trim().replace(/\s+/g, " ");
    return fail(`an HTML page${title === undefined ? "" : ` ("${title}")`}`);
  }
  try {
    const result = findResult(readXml(text));
    if (typeof result === "string") return fail(result);
    return status === 200 ? result : fail("not a fault");
  } catch (cause) {
    const [line = ""] = text.trim().split("\n");
    return fail(status === 200 ? `not a result (${messageOf(cause)})` : line);
  }
}

/** The result in a document: its root element, or what an envelope has; a text says why there is none. */
function findResult(root: XmlElement): OldResponse | string {
  let element: XmlElement | undefined = root;
  if (root.name === "Envelope") {
    const content = root.children.find(({ name }) => name === "Body")?.children[0];
    if (content === undefined) return "an envelope without a body";
    if (content.name === "Fault") return `a fault: ${textOf(content)}`;
    // A null result is left out, or nil.
    element = content.children[0];
  }
  if (element === undefined || isNil(element)) return { kind: "not-found" };
  const known = Object.keys(locationResult.parts);
  const { name, children } = element;
  if (children.length > 0 && !children.some((child) => known.includes(child.name))) {
    return `not a place: element ${name}`;
  }
  const place = readShape(element, locationResult) as OldPlace;
  // Some servers return an object without values.
  if (place.City === null || place.City.trim() === "") return { kind: "not-found" };
  return place.State === null ? `a city without a state: ${place.City}` : { kind: "found", place };
}

function textOf({ text, children }: XmlElement): string {
  return [text.trim(), ...children.map(textOf)].filter((one) => one !== "").join(" ");
}

/** Reads the parts by their local names; null for one that is absent or nil. */
function readShape({ children }: XmlElement, shape: Shape): Readonly<Record<string, unknown>> {
  const parts = Object.entries(shape.parts).map(([name, { type }]) => {
    const child = children.find((one) => one.name === name);
    if (child === undefined || isNil(child)) return [name, null] as const;
    if (typeof type !== "string") return [name, readShape(child, type)] as const;
    try {
      return [name, parseScalar[type](child.text)] as const;
    } catch (cause) {
      throw new SyntaxError(`${name}: ${messageOf(cause)}`, { cause });
    }
  });
  return Object.fromEntries(parts);
}
