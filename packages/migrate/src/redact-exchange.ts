import { headerOf } from "@wfh/server/bindings/http.ts";
import type { Operation, Part, ServiceContract } from "@wfh/server/contract/operation.ts";
import { bytesOf, type Exchange, lengthOf, type RecordedBody, toRecordedBody } from "./exchange.ts";

/** Placeholder for a secret. */
export const redacted = "[redacted]";

const secretHeader =
  /^(?!access-control-).*(?:cookie|auth|pass|pwd|secret|token|ticket|credential|principal|session|signature|jwt|sid$|key\d*$)/i;
/** Attributes that a Set-Cookie may have behind its value. */
const cookieAttribute =
  /^(?:(?:expires|max-age|domain|path|samesite|priority)=[^=\r\n]*|secure|httponly|partitioned)?$/i;

/** Notation of parameters in a request. */
interface Notation {
  /** Groups of a parameter: what precedes its value, its name within that, and its value. */
  readonly parameters: RegExp;
  readonly decode: (text: string) => string;
  readonly encode: (text: string) => string;
}

const asWritten = { decode: (text: string) => text, encode: (text: string) => text };
const xml: Notation = {
  ...asWritten,
  parameters:
    /(<(?:[^\s<>/:!?]+:)?([^\s<>/:!?]+)(?:\s[^<>]*)?>(?:<!\[CDATA\[)?)([^<]*?)(?=(?:\]\]>)?<\/)/g,
};
// A string without an end goes to the end of the text, so that all of it is read once.
const json: Notation = {
  parameters:
    /(("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\d[\w.+-]*)|"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/gs,
  decode: (text) =>
    text
      .replace(/^"|"$/g, "")
      .replace(/\\(?:u([\da-f]{4})|(.))/gis, (_, hex, sign) =>
        hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16)),
      ),
  encode: JSON.stringify,
};
const form: Notation = { ...asWritten, parameters: /((?:^|&)([^=&]*)=)([^&]*)/g };

/** Services and names from which redaction is compiled. */
export interface RedactionOptions {
  readonly services: readonly ServiceContract[];
  /** Redacts the secrets within a URL, whole or not; anything else stays as it is. */
  readonly redactAddress: (address: string) => string;
  /** Recognizes names of `WFH_SECRET_PARAMETERS`. */
  readonly isSecretName: (name: string) => boolean;
}

/** Takes the secrets out of an exchange, before it is written. */
export type Redact = (exchange: Exchange) => Exchange;

/**
 * Compiles redaction (decision 0079). A log-in loses its bodies, its query and its headers. Of any
 * other exchange, the values of parameters and headers with a secret name are replaced, wherever it
 * names them in the usual way.
 */
export function compileRedaction(options: RedactionOptions): Redact {
  const { redactAddress, isSecretName } = options;
  const redactBody = compileBodyRedaction(options);
  const redactHeaders = (headers: readonly string[]) =>
    headers.map((text, i) => {
      const name = headers[i - 1] ?? "";
      if (i % 2 === 0) return text;
      const isSecret = isSecretName(name) && !/^access-control-/i.test(name);
      if (isSecret || secretHeader.test(name)) return redactHeader(name, text);
      return /^\/|:\/\/|=/.test(text) ? redactAddress(text) : text;
    });
  return (exchange) => {
    if (isLogIn(exchange, options.services)) return withoutLogIn(exchange);
    const { request, response } = exchange;
    return {
      ...exchange,
      request: {
        ...request,
        target: redactAddress(request.target),
        headers: redactHeaders(request.headers),
        body: redactBody(exchange),
      },
      response: response && { ...response, headers: redactHeaders(response.headers) },
    };
  };
}

/** True for an operation with a secret parameter, and for a POST of an unknown operation. */
function isLogIn({ service, operation, request }: Exchange, services: readonly ServiceContract[]) {
  const { operations = {} } = services.find(({ name }) => name === service) ?? {};
  const isDocument = /^(?:GET|HEAD|OPTIONS)$/.test(request.method);
  return Object.entries(operations).some(
    ([name, one]) => hasSecret(one) && (operation === null ? !isDocument : operation === name),
  );
}

function hasSecret(operation: Operation): boolean {
  return partsOf([operation]).some(([, { secret }]) => secret === "value");
}

/** Leaves out everything that may repeat a password. A log-in without one is of no use anyway. */
function withoutLogIn(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  const leaveOut = (body: RecordedBody) => omit(body, "it may be a log-in");
  return {
    ...exchange,
    request: {
      ...request,
      target: request.target.replace(/\?.*/s, `?${redacted}`),
      headers: [],
      body: leaveOut(request.body),
    },
    response: response && {
      ...response,
      statusText: redacted,
      headers: [],
      body: leaveOut(response.body),
    },
  };
}

/** Takes the value out of a header; names and attributes of cookies stay. */
function redactHeader(name: string, text: string): string {
  if (!/^(?:set-)?cookie$/i.test(name)) return redacted;
  const hasAttributes = /^set-/i.test(name);
  const pieces = text.split(";").map((piece, i) => {
    const isKept = hasAttributes && i > 0 && cookieAttribute.test(piece.trim());
    return isKept ? piece : piece.replace(/([^=]*=|).*/s, `$1${redacted}`);
  });
  return pieces.join(";");
}

/** Returns what replaces the secret parameters in the body of a request. */
function compileBodyRedaction(options: RedactionOptions) {
  const replaceValue = compileReplaceValue(options);
  const harmless = options.services.filter(
    ({ operations }) => !partsOf(Object.values(operations)).some(([, { secret }]) => secret),
  );
  return ({ service, request: { body, headers } }: Exchange): RecordedBody => {
    const bytes = bytesOf(body);
    if (bytes === undefined) return body;
    const encoding = "text" in body ? "utf8" : "latin1";
    const text = bytes.toString(encoding);
    if (headerOf({ headers }, "content-encoding") !== undefined || text.includes("\0")) {
      const isHarmless = harmless.some(({ name }) => name === service);
      return isHarmless ? body : omit(body, "secrets cannot be found in it");
    }
    const [start = ""] = text.replace(/^\ufeff/, "").trimStart();
    const notation = start === "<" ? xml : /[[{"]/.test(start) ? json : form;
    const clean = text.replace(notation.parameters, (whole, before, name, value) =>
      name ? before + replaceValue(notation.decode(name), value, notation) : whole,
    );
    return toRecordedBody(Buffer.from(clean, encoding));
  };
}

/** Returns what replaces the value of a secret parameter, as it is written; any other stays. */
function compileReplaceValue({ services, redactAddress, isSecretName }: RedactionOptions) {
  const operations = services.flatMap((service) => Object.values(service.operations));
  // Parts of the contract are secret where it says so; calls need the others to be sent again.
  const known = new Map(partsOf(operations).map(([name, part]) => [name.toLowerCase(), part]));
  return (name: string, value: string, { decode, encode }: Notation): string => {
    const address = decode(value);
    const part = known.get(name.toLowerCase());
    const isSecret = part === undefined ? isSecretName(name) : part.secret === "value";
    if (isSecret && address !== "") return encode(redacted);
    if (part?.secret !== "in-address") return value;
    const other = redactAddress(address);
    return other === address ? value : encode(other);
  };
}

function partsOf(operations: readonly Operation[]): readonly (readonly [name: string, Part])[] {
  return operations.flatMap(({ input }) => Object.entries(input));
}

/** Leaves a body out, for a reason that completes "because"; an earlier reason stays. */
function omit(body: RecordedBody, omitted: string): RecordedBody {
  return "omitted" in body ? body : { omitted, bytes: lengthOf(body) };
}
