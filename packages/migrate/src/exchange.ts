import type { BindingName } from "@wfh/server/contract/bindings.ts";

/** Body in a recording: text where its bytes are UTF-8, base64, or why it is left out. */
export type RecordedBody =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly omitted: string; readonly bytes: number };

/** One request with its response, without secrets: a line of a recording (decision 0079). */
export interface Exchange {
  /** Version of the format. */
  readonly v: 1;
  /** When the request arrived, ISO 8601 in UTC. */
  readonly at: string;
  /** From the request until the end of the response. */
  readonly ms: number;
  /** Names of the contract; null for what is no service's, such as a WSDL, or not recognized. */
  readonly service: string | null;
  readonly operation: string | null;
  readonly binding: BindingName | null;
  readonly request: {
    readonly method: string;
    /** Path and query, as sent. */
    readonly target: string;
    /** Names and values in turn, as sent. */
    readonly headers: readonly string[];
    readonly body: RecordedBody;
  };
  /** Null where none came. */
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly string[];
    readonly body: RecordedBody;
  } | null;
  /** Why there is no response, or not all of it. */
  readonly error?: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as a recording has them. */
export function toRecordedBody(bytes: Uint8Array): RecordedBody {
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

/** The bytes of a recorded body; undefined where they were left out. */
export function bytesOf(body: RecordedBody): Buffer | undefined {
  if ("text" in body) return Buffer.from(body.text);
  return "base64" in body ? Buffer.from(body.base64, "base64") : undefined;
}

/** Length of a body in bytes, left out or not. */
export function lengthOf(body: RecordedBody): number {
  return "omitted" in body ? body.bytes : (bytesOf(body)?.length ?? 0);
}

/**
 * Checks one exchange of a recording, which people may have edited.
 *
 * @throws {TypeError} with the member that is wrong.
 */
export function parseExchange(value: unknown): Exchange {
  const { v, at, ms, service, operation, binding, request, response, error } = membersOf(
    value,
    "the line",
  );
  if (v !== 1) throw new TypeError(`version ${JSON.stringify(v)} is not supported, only 1 is`);
  const { method, target } = membersOf(request, "request");
  need(typeof at === "string" && !Number.isNaN(Date.parse(at)), "at", "a time in ISO 8601");
  need(typeof ms === "number" && ms >= 0, "ms", "milliseconds");
  for (const [name, text] of Object.entries({ service, operation, binding })) {
    need(text === null || typeof text === "string", name, "a name or null");
  }
  need(typeof method === "string" && method !== "", "request.method", "a method");
  need(typeof target === "string" && target !== "", "request.target", "a path");
  checkMessage(request, "request");
  if (response !== null) {
    const { status, statusText } = membersOf(response, "response");
    const isStatus = Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 999;
    need(isStatus, "response.status", "a status of HTTP");
    need(typeof statusText === "string", "response.statusText", "a text");
    checkMessage(response, "response");
  }
  need(error === undefined || typeof error === "string", "error", "a text");
  return value as Exchange;
}

function checkMessage(message: unknown, name: string): void {
  const { headers, body } = membersOf(message, name);
  const isPairs = Array.isArray(headers) && headers.length % 2 === 0;
  const areTexts = isPairs && headers.every((one) => typeof one === "string");
  need(areTexts, `${name}.headers`, "names and values in turn");
  const { text, base64, omitted, bytes } = membersOf(body, `${name}.body`);
  const isOmitted = typeof omitted === "string" && typeof bytes === "number";
  const isBody = typeof text === "string" || typeof base64 === "string" || isOmitted;
  need(isBody, `${name}.body`, "text, base64, or omitted with bytes");
}

function membersOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  need(typeof value === "object" && value !== null && !Array.isArray(value), name, "an object");
  return value as Readonly<Record<string, unknown>>;
}

function need(isTrue: boolean, name: string, expected: string): void {
  if (!isTrue) throw new TypeError(`${name} is not ${expected}`);
}
