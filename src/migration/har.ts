import { headerOf } from "../bindings/http.ts";
import {
  bytesOf,
  type Exchange,
  parseExchange,
  type RecordedBody,
  toRecordedBody,
} from "./exchange.ts";
import type { Recognize } from "./recognize.ts";
import type { Redact } from "./redact.ts";

type MemberName =
  | ("log" | "entries" | "request" | "response" | "startedDateTime" | "time" | "method" | "url")
  | ("status" | "statusText" | "headers" | "name" | "value" | "postData" | "params" | "content")
  | ("bodySize" | "size" | "text" | "encoding");

/** Members of an object of HAR that are read; files of any origin have any values in them. */
type Members = Readonly<Partial<Record<MemberName, unknown>>>;

const absent = "the HAR file does not have it";

/**
 * The exchanges of a HAR 1.2 document that go to services, without secrets.
 *
 * @throws {TypeError} with the entry that is not as HAR has it.
 */
export function* fromHar(
  document: unknown,
  { recognize, redact }: { readonly recognize: Recognize; readonly redact: Redact },
): Generator<Exchange> {
  const entries = membersOf(membersOf(document).log).entries;
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

function toExchange(entry: Members): Exchange {
  const [request, response] = [membersOf(entry.request), membersOf(entry.response)];
  const [, host = "", target = ""] =
    /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)([^#]*)/i.exec(String(request.url)) ?? [];
  const headers = toPairs(request.headers);
  // HTTP/2 has no header of that name.
  if (headerOf({ headers }, "host") === undefined) headers.unshift("Host", host);
  const startedMs = Date.parse(String(entry.startedDateTime));
  const hasResponse = Number(response.status) > 0;
  const isRead = /^(?:GET|HEAD|OPTIONS)$/.test(String(request.method));
  const size = Number(request.bodySize) || 0;
  return parseExchange({
    v: 1,
    at: Number.isNaN(startedMs) ? "" : new Date(startedMs).toISOString(),
    ms: Math.max(0, Number(entry.time) || 0),
    service: null,
    operation: null,
    binding: null,
    request: {
      method: request.method,
      target: target.startsWith("/") ? target : `/${target}`,
      ...toMessage(headers, membersOf(request.postData ?? {}), isRead ? 0 : size),
    },
    response: hasResponse
      ? {
          status: response.status,
          statusText: String(response.statusText ?? ""),
          ...toMessage(toPairs(response.headers), membersOf(response.content ?? {})),
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
function toMessage(
  headers: string[],
  content: Members,
  size = Math.max(0, Number(content.size) || 0),
) {
  const body = toBody(content, size);
  const isPlain = "omitted" in body || headerOf({ headers }, "content-encoding") === undefined;
  const isGone = (name = "") =>
    /^(?:content-encoding|content-length|transfer-encoding)$/i.test(name);
  return {
    headers: isPlain ? headers : headers.filter((_, i) => !isGone(headers[i - (i % 2)])),
    body,
  };
}

/** @param size in bytes; negative where the tool does not know it. */
function toBody({ text, encoding, params }: Members, size: number): RecordedBody {
  if (typeof text === "string") {
    return toRecordedBody(Buffer.from(text, encoding === "base64" ? "base64" : "utf8"));
  }
  if (Array.isArray(params)) {
    const form = new URLSearchParams();
    for (const { name, value } of params.map(membersOf)) form.append(`${name}`, `${value ?? ""}`);
    return { text: form.toString() };
  }
  return size === 0 ? { text: "" } : { omitted: absent, bytes: Math.max(0, size) };
}

/** A HAR 1.2 document of exchanges, in pieces of text. */
export async function* toHar(exchanges: AsyncIterable<Exchange>): AsyncGenerator<string> {
  yield '{"log":{"version":"1.2","creator":{"name":"Web Forms Helper","version":"1"},"entries":[\n';
  let separator = "";
  for await (const exchange of exchanges) {
    yield separator + JSON.stringify(toEntry(exchange));
    separator = ",\n";
  }
  yield "\n]}}\n";
}

function toEntry({ at, ms, request, response, error }: Exchange) {
  const { method, target, headers, body } = request;
  const url = `http://${headerOf(request, "host") ?? "localhost"}${target}`;
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };
  const content = response === null ? { size: 0, mimeType: "" } : toContent(response);
  return {
    startedDateTime: at,
    time: ms,
    request: {
      ...{ method, url, ...common, headers: toList(headers), bodySize: sizeOf(body) },
      queryString: toList([...new URLSearchParams(target.split("?")[1])].flat()),
      ...(sizeOf(body) > 0 && { postData: toContent(request) }),
    },
    response: {
      ...{ status: response?.status ?? 0, statusText: response?.statusText ?? "", ...common },
      ...{ headers: toList(response?.headers ?? []), content, redirectURL: "" },
      bodySize: response === null ? 0 : sizeOf(response.body),
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(error !== undefined && { comment: error }),
  };
}

function toContent({ headers, body }: Exchange["request"] | NonNullable<Exchange["response"]>) {
  const common = { size: sizeOf(body), mimeType: headerOf({ headers }, "content-type") ?? "" };
  if ("text" in body) return { ...common, text: body.text };
  if ("base64" in body) return { ...common, text: body.base64, encoding: "base64" };
  return { ...common, comment: `omitted: ${body.omitted}` };
}

function toList(headers: readonly string[]) {
  const list: { readonly name: string; readonly value: string }[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    list.push({ name: headers[i] ?? "", value: headers[i + 1] ?? "" });
  }
  return list;
}

function sizeOf(body: RecordedBody): number {
  return "omitted" in body ? body.bytes : (bytesOf(body)?.length ?? 0);
}

function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null) return value as Members;
  throw new TypeError("it is not as HAR 1.2 has it");
}
