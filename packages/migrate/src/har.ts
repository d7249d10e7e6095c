import { headerOf, readMediaType } from "@wfh/server/bindings/http.ts";
import { declaredEncoding } from "@wfh/server/codec/decode-text.ts";
import {
  bytesOf,
  type Exchange,
  parseExchange,
  type RecordedBody,
  toRecordedBody,
} from "./exchange.ts";
import type { Recognize } from "./recognize.ts";
import type { Redact } from "./redact-exchange.ts";

/** An object of HAR; files of any origin have any values in them. */
type Members = Readonly<Record<string, unknown>>;

/**
 * The exchanges of a HAR 1.2 document that go to services, without secrets.
 *
 * @throws {TypeError} with the entry that is not as HAR has it.
 */
export function* fromHar(
  document: unknown,
  { recognize, redact }: { readonly recognize: Recognize; readonly redact: Redact },
): Generator<Exchange> {
  const { log } = membersOf(document);
  const { entries } = membersOf(log);
  if (!Array.isArray(entries)) throw new TypeError("it has no log with entries");
  for (const [i, entry] of entries.entries()) {
    try {
      const exchange = toExchange(membersOf(entry));
      const call = recognize(exchange.request, bytesOf(exchange.request.body));
      if (call !== undefined) yield redact({ ...exchange, ...call });
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new TypeError(`entry ${i + 1}: ${cause.message}`, { cause });
    }
  }
}

function toExchange({ request, response, startedDateTime, time }: Members): Exchange {
  const { method, url, headers: sent, postData = {}, bodySize } = membersOf(request);
  const { status, statusText, headers: received, content = {} } = membersOf(response);
  const [, host = "", target = ""] =
    /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)([^#]*)/i.exec(String(url)) ?? [];
  const headers = toPairs(sent);
  // HTTP/2 has no header of that name.
  if (headerOf({ headers }, "host") === undefined) headers.unshift("Host", host);
  const startedMs = Date.parse(String(startedDateTime));
  const hasResponse = Number(status) > 0;
  const length = Number(headerOf({ headers }, "content-length") ?? 0);
  const size = /^(?:GET|HEAD|OPTIONS)$/.test(String(method)) ? 0 : bodySize;
  return parseExchange({
    v: 1,
    at: Number.isNaN(startedMs) ? "" : new Date(startedMs).toISOString(),
    ms: Math.max(0, Number(time) || 0),
    service: null,
    operation: null,
    binding: null,
    request: {
      method,
      target: target.startsWith("/") ? target : `/${target}`,
      ...toMessage(headers, { size: length || size, ...membersOf(postData) }),
    },
    response: hasResponse
      ? {
          status,
          statusText: String(statusText ?? ""),
          ...toMessage(toPairs(received), membersOf(content)),
        }
      : null,
    ...(hasResponse ? {} : { error: "There was no response." }),
  });
}

function toPairs(headers: unknown): string[] {
  if (!Array.isArray(headers)) throw new TypeError("a message has no headers");
  const pairs = headers.map(membersOf).map(({ name, value }) => [String(name), String(value)]);
  return pairs.filter(([name]) => !name?.startsWith(":")).flat();
}

/** HAR has bodies without their compression, so that headers that speak of it go. */
function toMessage(headers: string[], content: Members) {
  const body = toBody(content, headers);
  const isPlain = "omitted" in body || headerOf({ headers }, "content-encoding") === undefined;
  const isGone = (name = "") =>
    /^(?:content-encoding|content-length|transfer-encoding)$/i.test(name);
  return {
    headers: isPlain ? headers : headers.filter((_, i) => !isGone(headers[i - (i % 2)])),
    body,
  };
}

/** The size is negative where the tool does not know it. */
function toBody({ text, encoding, params, size }: Members, headers: string[]): RecordedBody {
  if (typeof text === "string") {
    const bytes = encoding === "base64" ? Buffer.from(text, "base64") : encode(text, headers);
    const unknown = {
      omitted: "its text does not fit its charset",
      bytes: Buffer.byteLength(text),
    };
    return bytes ? toRecordedBody(bytes) : unknown;
  }
  if (Array.isArray(params)) {
    const form = new URLSearchParams();
    for (const { name, value } of params.map(membersOf)) form.append(`${name}`, `${value ?? ""}`);
    return { text: form.toString() };
  }
  const bytes = Math.max(0, Number(size) || 0);
  if (bytes === 0 && !(Number(size) < 0)) return { text: "" };
  return { omitted: "the HAR file does not have it", bytes };
}

/** The bytes of a text that HAR has decoded; undefined where they are not certain. */
function encode(text: string, headers: readonly string[]): Buffer | undefined {
  const utf8 = Buffer.from(text);
  const { charset } = readMediaType(headerOf({ headers }, "content-type") ?? "");
  try {
    const decoder = new TextDecoder(charset ?? declaredEncoding(utf8), { ignoreBOM: true });
    if (decoder.decode(utf8) === text) return utf8;
    const all = decoder.decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    const bytes = Buffer.from(Array.from(text, (character) => all.indexOf(character)));
    return decoder.decode(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null) return value as Members;
  throw new TypeError("it is not as HAR 1.2 has it");
}
