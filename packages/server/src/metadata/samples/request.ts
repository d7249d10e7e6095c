import { escapeText } from "../../codec/xml/escape.ts";
import type { RequestDescription } from "../../contract/bindings.ts";
import type { OutcomeWords, ScalarName } from "../../contract/operation.ts";
import { indentCode, languageOf } from "./indent.ts";
import type { SampleTarget } from "./sample-target.ts";

/** A part of a request that is sent. */
export interface SentPart {
  readonly name: string;
  readonly type: ScalarName;
  /** Value as in XML and forms, with all digits; a placeholder is the name of the type. */
  readonly text: string;
}

/** Data of an operation for the script of its page: the JSON of `data-call`. */
export interface TestFormData {
  /** Address of the service, relative to the page. */
  readonly service: string;
  /** Root element of the result over HTTP GET and POST; absent for a void operation. */
  readonly result?: string | undefined;
  readonly outcome: OutcomeWords;
  /** Requests as each binding writes them. */
  readonly requests: Readonly<Record<string, RequestDescription>>;
  readonly parts: readonly (Omit<SentPart, "text"> & { readonly optional: boolean })[];
  /** Parts that the example sends. */
  readonly example: readonly SentPart[];
  /** Target of the code samples. */
  readonly target: SampleTarget;
}

/** A request that can be sent as it is. */
export interface ClientRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a request without a body. */
  readonly body: string | null;
}

/** A request or a response for display. */
export interface HttpMessage {
  /** Start line and headers, one per line. */
  readonly head: string;
  /** Indented, with LF line ends; `""` without a body. */
  readonly body: string;
}

/** The parts as a query or a body has them. */
function writeParts(
  { partsAs, longsAsText }: RequestDescription,
  parts: readonly SentPart[],
): string {
  if (partsAs === "members") {
    const members = parts.map(
      (part) => `${JSON.stringify(part.name)}:${jsonValue(part, longsAsText)}`,
    );
    return `{${members.join(",")}}`;
  }
  if (partsAs === "fields") {
    return String(
      new URLSearchParams(parts.map(({ name, text }): [string, string] => [name, text])),
    );
  }
  return parts.map(({ name, text }) => `<${name}>${escapeText(text)}</${name}>`).join("");
}

/** Sends text that is not of its type as a string: the service says what is wrong with it. */
function jsonValue({ type, text }: SentPart, longsAsText = false): string {
  const isText = type === "string" || type === "dateTime" || (type === "long" && longsAsText);
  const bare = type === "boolean" ? /^(?:true|false)$/ : /^-?(?:0|[1-9]\d*)$/;
  return !isText && (bare.test(text) || text === type) ? text : JSON.stringify(text);
}

/** Place of a part in a path or a header. */
const placeholder = /\{(\w+)\}/g;

/** The request of a call: the description of its binding with the parts filled in, indented. */
export function fillRequest(
  description: RequestDescription,
  address: string,
  parts: readonly SentPart[],
): ClientRequest {
  const { method, path, before, after } = description;
  const textOf = (name: string) => parts.find((part) => part.name === name)?.text ?? "";
  const filled = path.replace(placeholder, (_, name: string) =>
    encodeURIComponent(textOf(name).toWellFormed()),
  );
  // Without a value the name stays, in capitals: a header needs one.
  const headers = Object.fromEntries(
    Object.entries(description.headers).map(([header, value]) => [
      header,
      value.replace(placeholder, (_, name: string) => textOf(name) || name.toUpperCase()),
    ]),
  );
  const elsewhere = [path, ...Object.values(description.headers)].join(" ");
  const others = parts.filter(({ name }) => !elsewhere.includes(`{${name}}`));
  const content = writeParts(description, others);
  if (method === "GET") {
    const query = content === "" ? "" : `?${content}`;
    return { method, url: address + filled + query, headers, body: null };
  }
  const body = indentCode(languageOf(headers["Content-Type"] ?? ""), before + content + after);
  return { method, url: address + filled, headers, body };
}

/**
 * A request for display.
 *
 * @param base what its URL is relative to.
 * @param length value of Content-Length; without it the header is not shown.
 */
export function formatRequest(
  { method, url, headers, body }: ClientRequest,
  base: string,
  length?: string,
): HttpMessage {
  const { host, pathname, search } = new URL(url, base);
  const fields = Object.entries(headers).flatMap(([name, value]) => [
    `${name}: ${value}`,
    ...(name === "Content-Type" && length !== undefined ? [`Content-Length: ${length}`] : []),
  ]);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...fields];
  return { head: lines.join("\n"), body: body ?? "" };
}

/** All of a message as text. */
export function textOfMessage({ head, body }: HttpMessage): string {
  return body === "" ? head : `${head}\n\n${body}`;
}
