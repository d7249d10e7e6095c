import { soap11Version, soap12Version } from "../../bindings/soap/versions.ts";
import { escapeAttribute, escapeText } from "../../codec/xml/escape.ts";
import type { BindingName } from "../../contract/bindings.ts";
import type { OutcomeWords, ScalarName } from "../../contract/operation.ts";
import type { SentPart } from "../samples/sample-call.ts";

/** What the page tells the script about an operation: the JSON of the form's `data-call`. */
export interface TestFormData {
  /** Address of the service, relative to the page. */
  readonly service: string;
  readonly namespace: string;
  readonly operation: string;
  /** Root element of the result over HTTP GET and POST; absent for a void operation. */
  readonly result?: string | undefined;
  readonly outcome: OutcomeWords;
  /** Headers of a request, per binding. */
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly parts: readonly {
    readonly name: string;
    readonly type: ScalarName;
    readonly optional: boolean;
  }[];
}

/** A request of the test form. */
export interface FormRequest {
  readonly method: "GET" | "POST";
  /** Relative to the page. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The request that carries some values over a binding. */
export function makeRequest(
  data: TestFormData,
  binding: BindingName,
  fields: readonly SentPart[],
): FormRequest {
  const { service, operation } = data;
  const atOperation = `${service}/${operation}`;
  const form = new URLSearchParams(
    fields.map(({ name, text }): [string, string] => [name, text]),
  ).toString();
  const headers = data.headers[binding] ?? {};
  switch (binding) {
    case "soap11":
    case "soap12":
      return { method: "POST", url: service, headers, body: envelope(data, binding, fields) };
    case "http-get":
      return {
        method: "GET",
        url: form === "" ? atOperation : `${atOperation}?${form}`,
        headers,
        body: null,
      };
    case "http-post":
      return { method: "POST", url: atOperation, headers, body: form };
    case "json": {
      const members = fields.map((field) => `${JSON.stringify(field.name)}: ${jsonValue(field)}`);
      return { method: "POST", url: atOperation, headers, body: `{${members.join(", ")}}` };
    }
  }
}

/** A request as text, with its absolute path and host. */
export function formatRequest(request: FormRequest, pageUrl: string): string {
  const { host, pathname, search } = new URL(request.url, pageUrl);
  const lines = [
    `${request.method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return lines.join("\n") + (request.body === null ? "" : `\n\n${request.body}`);
}

const versions = { soap11: soap11Version, soap12: soap12Version };

function envelope(
  { operation, namespace }: TestFormData,
  binding: keyof typeof versions,
  fields: readonly SentPart[],
): string {
  const parts = fields.map(({ name, text }) => `      <${name}>${escapeText(text)}</${name}>`);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<soap:Envelope xmlns:soap="${versions[binding].envelopeNamespace}">`,
    "  <soap:Body>",
    `    <${operation} xmlns="${escapeAttribute(namespace)}">`,
    ...parts,
    `    </${operation}>`,
    "  </soap:Body>",
    "</soap:Envelope>",
  ].join("\n");
}

/** A value as JSON. Text that is not a number or a boolean goes as a string; the service says what is wrong with it. */
function jsonValue({ type, text }: SentPart): string {
  const bare = type === "boolean" ? /^(?:true|false)$/ : /^-?(?:0|[1-9]\d*)$/;
  return type !== "string" && type !== "dateTime" && bare.test(text) ? text : JSON.stringify(text);
}
