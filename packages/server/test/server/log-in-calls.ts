import { exchange } from "../exchange.ts";
import { endpointNamespace } from "../test-server.ts";

/** Address of the AJAX endpoint. */
export const endpoint = "/api/WebFormsAjaxEndpoint.svc";

/** A request as it is sent: one field may come several times. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly host?: string;
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

/** A response with its fields in their order. */
export interface Received {
  readonly status: number;
  readonly body: string;
  /** Values of the fields of a name, which is given in small letters. */
  valuesOf(name: string): readonly string[];
  /** The whole response, without what differs each time. */
  readonly masked: string;
  /** The whole response, its bytes as Latin-1. */
  readonly text: string;
}

/** Sends a request that `fetch` would not, and resolves to the whole response. */
export async function send(url: string, sent: Sent): Promise<Received> {
  return readReceived(await exchange(url, writeSent(sent, "close")));
}

/** A request as text, which asks for its connection to be closed or kept. */
export function writeSent(
  { method = "POST", path, host = "localhost", fields = [], body = "" }: Sent,
  connection: "close" | "keep-alive",
): string {
  const length = body === "" ? [] : [["Content-Length", String(Buffer.byteLength(body))] as const];
  const all = [["Host", host], ["Connection", connection], ...length, ...fields];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Takes the bytes of a response apart, which are given as Latin-1. */
export function readReceived(text: string): Received {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end).split("\r\n");
  return {
    status: Number(head[0]?.split(" ")[1]),
    body: Buffer.from(text.slice(end + 4), "latin1").toString("utf8"),
    valuesOf: (name) =>
      head
        .filter((line) => line.toLowerCase().startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2)),
    masked: text.replace(/^(Date|X-Request-Id): .*$/gm, "$1: …"),
    text,
  };
}

/** A part of a call; undefined is absent, null is nil. */
export type Parts = Readonly<Record<string, string | number | null | undefined>>;

/** Result of both operations. */
export interface Outcome {
  readonly contactId: bigint;
  readonly message: string | null;
  readonly recordId: bigint;
  readonly isSuccess: boolean;
}

/** One way to carry the calls. */
export interface Carrier {
  readonly name: "JSON" | "SOAP 1.1" | "SOAP 1.2";
  call(operation: string, parts: Parts): Sent;
  /** Address of an operation, which SOAP has in the envelope. */
  pathOf(operation: string): string;
  read(response: Received): Outcome;
  /** Body of a fault that is ours, not the caller's. */
  readonly fault: RegExp;
  /** Body of a refusal of the page's origin. */
  readonly forbidden: RegExp;
}

const json: Carrier = {
  name: "JSON",
  call: (operation, parts) => ({
    path: `${endpoint}/${operation}`,
    fields: [["Content-Type", "application/json"]],
    body: JSON.stringify(parts),
  }),
  pathOf: (operation) => `${endpoint}/${operation}`,
  read: ({ body }) => {
    const [contact, message, record, success] = match(
      body,
      /^\{"d":\{"Contact_Id":(-?\d+),"ErrorMessage":(null|".*"),"Record_Id":(-?\d+),"Success":(true|false)\}\}$/,
    );
    return outcomeOf({ contact, record, success }, JSON.parse(message ?? ""));
  },
  fault: /^\{"ExceptionDetail":null,"ExceptionType":null,"Message":"Not logged in/,
  forbidden: /"Message":"Pages of .+ may not/,
};

function soap(name: Carrier["name"], namespace: string, kinds: Pick<Carrier, "fault">): Carrier {
  const fieldsOf = (action: string): Sent["fields"] =>
    name === "SOAP 1.1"
      ? [
          ["Content-Type", "text/xml; charset=utf-8"],
          ["SOAPAction", `"${action}"`],
        ]
      : [["Content-Type", `application/soap+xml; charset=utf-8; action="${action}"`]];
  return {
    name,
    call: (operation, parts) => ({
      path: endpoint,
      fields: fieldsOf(`${endpointNamespace}/IWebFormsAjaxEndpoint/${operation}`) ?? [],
      body: envelope(namespace, operation, parts),
    }),
    pathOf: () => endpoint,
    read: ({ body }) => {
      const [contact, message, record, success] = match(
        body,
        /<Contact_Id>(-?\d+)<\/Contact_Id><ErrorMessage(?: i:nil="true"\/>|>(.+)<\/ErrorMessage>)<Record_Id>(-?\d+)<\/Record_Id><Success>(true|false)</,
      );
      return outcomeOf({ contact, record, success }, message ?? null);
    },
    ...kinds,
    forbidden: /Fault.*Pages of .+ may not/,
  };
}

function envelope(namespace: string, operation: string, parts: Parts): string {
  const elements = Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      value === null ? `<${name} i:nil="true"/>` : `<${name}>${escapeXml(String(value))}</${name}>`,
    );
  const call = `<${operation} xmlns="${endpointNamespace}">${elements.join("")}</${operation}>`;
  return `<s:Envelope xmlns:s="${namespace}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><s:Body>${call}</s:Body></s:Envelope>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function match(body: string, form: RegExp): readonly (string | undefined)[] {
  const found = form.exec(body);
  if (found === null) throw new Error(`Not the response of a log-in: ${body}`);
  return found.slice(1);
}

function outcomeOf(
  texts: Record<"contact" | "record" | "success", string | undefined>,
  message: string | null,
): Outcome {
  return {
    contactId: BigInt(texts.contact ?? ""),
    message,
    recordId: BigInt(texts.record ?? ""),
    isSuccess: texts.success === "true",
  };
}

/** The three ways to carry a log-in. */
export const carriers: readonly Carrier[] = [
  json,
  soap("SOAP 1.1", "http://schemas.xmlsoap.org/soap/envelope/", {
    fault: /<faultcode>s:Server<\/faultcode>.*Not logged in/,
  }),
  soap("SOAP 1.2", "http://www.w3.org/2003/05/soap-envelope", {
    fault: /<s:Value>s:Receiver<\/s:Value>.*Not logged in/,
  }),
];

/** A log-in or an automatic one over JSON. */
export const overJson: Carrier = json;

/** The same request with more fields. */
export function withFields(sent: Sent, ...more: NonNullable<Sent["fields"]>): Sent {
  return { ...sent, fields: [...(sent.fields ?? []), ...more] };
}

/** The name and value of the one cookie that a response sets, for a Cookie field. */
export function cookieOf(response: Received): string {
  const [line = "", ...others] = response.valuesOf("set-cookie");
  if (others.length > 0 || !/^__Host-wfal=v1\.[\w-]{22}\.[\w-]{43};/.test(line)) {
    throw new Error(`Not one new cookie: ${response.masked}`);
  }
  return line.slice(0, line.indexOf(";"));
}

/** Reads the fate of the cookie from a response. */
export function cookieFate({ valuesOf }: Received): "kept" | "expired" | "set" {
  const lines = valuesOf("set-cookie");
  if (lines.length === 0) return "kept";
  return lines.every((line) => /^__Host-wfal=;.*Max-Age=0/.test(line)) ? "expired" : "set";
}
