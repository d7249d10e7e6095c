import { brotliDecompressSync, inflateRawSync, unzipSync } from "node:zlib";
import { headerOf } from "../bindings/http.ts";
import { bytesAsText } from "../codec/decode-text.ts";
import type { ServiceContract } from "../contract/operation.ts";
import { bytesOf, type Exchange, lengthOf, type RecordedBody, toRecordedBody } from "./exchange.ts";
import {
  asUtf8,
  form,
  type Notation,
  type ReplaceValue,
  replaceInBody,
  replaceValues,
  UnreadableError,
  viewsOf,
} from "./notations.ts";

/** What takes the place of a secret. */
export const redacted = "[redacted]";

/** Longest body that is searched for secrets, in bytes once it is decompressed. */
const searchedBytesMax = 262_144;
/** Longest body that is decompressed, in bytes. */
const plainBytesMax = 8_388_608;
/** Shorter secrets are only replaced in their part: they occur everywhere. In UTF-16 units. */
const searchedLengthMin = 3;
/** The same for values of headers: cookies have settings such as `en-US` too. */
const headerLengthMin = 6;
/** Most secrets that are searched for, in all of their forms: a log-in has up to nine, and a browser up to 50 cookies. */
const secretsMax = 100;

const secretHeader =
  /^(?!access-control-).*(?:cookie|auth|pass|pwd|secret|token|ticket|credential|principal|session|signature|jwt|sid$|key\d*$)/i;
/** Beside those of the contract: clients send more than servers read. */
const moreSecretParts = ["pass_?w(?:or)?d", "pwd", "secret", "token", "credential", "api_?key"];

/** What redaction is compiled from. */
export interface RedactionOptions {
  readonly services: readonly ServiceContract[];
  /** Redacts the secrets within a URL, whole or not; anything else stays as it is. */
  readonly redactAddress: (address: string) => string;
}

/** Takes the secrets out of an exchange, before it is written. */
export type Redact = (exchange: Exchange) => Exchange;

/**
 * Compiles redaction (decision 0079). Replaced are the values of secret parts, of headers with a secret name and of secret
 * parameters of URLs. A body is omitted where its secrets cannot be found for certain, and where a secret of the request
 * is in it again, in whatever form.
 */
export function compileRedaction({ services, redactAddress }: RedactionOptions): Redact {
  const compileReplace = compileReplacing(services, redactAddress);
  const redactRequestBody = compileBodyRedaction(services);
  return (exchange) => {
    const { request, response } = exchange;
    const inRequest = new Set<string>();
    const replace = compileReplace(inRequest);
    const target = redactAddress(
      request.target.replace(/(?<=\?).*/s, (query) => replaceValues(query, form, replace)),
    );
    const body = redactRequestBody(exchange, replace, inRequest);
    const secrets = new Set([...inRequest, ...secretsInHeaders(exchange)].slice(0, secretsMax));
    const redactText = (text: string) => (holds(text, secrets) ? redacted : text);
    const redactHeaders = (headers: readonly string[]) => {
      const clean = headers.map((text, i) => {
        if (i % 2 === 0) return text;
        if (secretHeader.test(headers[i - 1] ?? "")) return redacted;
        return /^\/|:\/\/|=/.test(text) ? redactAddress(text) : text;
      });
      return holds(clean.join("\n"), secrets) ? clean.map(redactText) : clean;
    };
    // The response may repeat secrets that are not known.
    const isUnknown = "omitted" in body || secrets.size === secretsMax;
    return {
      ...exchange,
      request: {
        ...request,
        target: holds(target, inRequest) ? `/${redacted}` : target,
        headers: redactHeaders(request.headers),
        body: omitWhere(inRequest, body, request.headers),
      },
      response: response && {
        ...response,
        statusText: isUnknown ? redacted : redactText(response.statusText),
        headers: isUnknown ? [] : redactHeaders(response.headers),
        body: isUnknown
          ? omit(response.body, "the secrets of the request are not known")
          : omitWhere(secrets, response.body, response.headers),
      },
    };
  };
}

/**
 * Values of headers with a secret name, as written and as meant: of each cookie, behind the scheme of Authorization, and the
 * password of Basic. The number of a session that the request has in a part too is no secret.
 */
function secretsInHeaders({ request, response }: Exchange): readonly string[] {
  const parts = request.target + (bytesOf(request.body)?.toString("latin1") ?? "");
  const values = [...request.headers, ...(response?.headers ?? [])].flatMap((text, i, all) => {
    const name = all[i - 1] ?? "";
    if (i % 2 === 0 || !secretHeader.test(name)) return [];
    const [, basic = ""] = /^Basic\s+(\S+)/i.exec(text) ?? [];
    const [, password = ""] = Buffer.from(basic, "base64").toString().split(/:(.*)/s);
    // The rest of Set-Cookie are settings, such as the domain, which may be in any response.
    const pieces = text.split(";", /^set-cookie$/i.test(name) ? 1 : undefined);
    return [password, ...pieces.map((one) => one.replace(/^\s*[^=\s]*[=\s]\s*/, ""))];
  });
  return values
    .map((value) => value.trim().replace(/^"(.*)"$/s, "$1"))
    .flatMap((value) => [value, form.decode(value)])
    .filter((value) => value.length >= headerLengthMin && !parts.includes(value));
}

/**
 * Leaves out the bodies of what may be a log-in, its query, and the headers of its response (decision 0079): without its
 * password it cannot be sent again, and only reports of a live comparison show it.
 *
 * @param clean the exchange without the secrets that are found, which its headers may repeat.
 * @param sent the exchange as it was, for the length of its bodies.
 */
export function withoutLogIn(
  clean: Exchange,
  sent: Exchange,
  services: readonly ServiceContract[],
): Exchange {
  const { service, operation, request, response } = clean;
  const { operations = {} } = services.find(({ name }) => name === service) ?? {};
  const isDocument = /^(?:GET|HEAD|OPTIONS)$/.test(request.method);
  const asked = operation === null && !isDocument ? operations : [operations[operation ?? ""]];
  const takesSecret = Object.values(asked).some((one) =>
    Object.values(one?.input ?? {}).some(({ secret }) => secret === "value"),
  );
  if (!takesSecret) return clean;
  const leaveOut = (body: RecordedBody | undefined): RecordedBody => ({
    omitted: "it may be a log-in",
    bytes: body === undefined ? 0 : lengthOf(body),
  });
  return {
    ...clean,
    request: {
      ...request,
      target: request.target.replace(/\?.*/s, `?${redacted}`),
      body: leaveOut(sent.request.body),
    },
    response: response && {
      ...response,
      ...{ statusText: redacted, headers: [], body: leaveOut(sent.response?.body) },
    },
  };
}

/** Returns what replaces the secret parts of one request, and adds their values to a set. */
function compileReplacing(
  services: readonly ServiceContract[],
  redactAddress: RedactionOptions["redactAddress"],
) {
  const addresses = namesOf(services, "in-address");
  const secretPart = new RegExp([...namesOf(services, "value"), ...moreSecretParts].join("|"), "i");
  const replaceAddress = (written: string, { decode, encode }: Notation) => {
    const address = decode(asUtf8(written));
    const other = redactAddress(address);
    return other === address ? written : bytesAsText(Buffer.from(encode(other)));
  };
  return (secrets: Set<string>): ReplaceValue =>
    (name, written, notation) => {
      if (addresses.includes(name.toLowerCase())) return replaceAddress(written, notation);
      if (written === "" || written === redacted || !secretPart.test(name)) return written;
      if (secrets.size < secretsMax) {
        for (const form of formsOf(written, notation)) secrets.add(form);
      }
      return redacted;
    };
}

/** A secret as written and as meant, as it may be repeated: without blanks around it, and where letters beyond ASCII got lost. */
function formsOf(written: string, { decode }: Notation): readonly string[] {
  return [written, decode(written), decode(asUtf8(written))]
    .flatMap((form) => [form, form.trim(), ...(form.match(/[ -~]{6,}/g) ?? [])])
    .filter((form) => form.length >= searchedLengthMin);
}

/** Returns what replaces the secrets in the body of a request, or omits it. */
function compileBodyRedaction(services: readonly ServiceContract[]) {
  const names = namesOf(services, "value").join("|");
  // A value that was not replaced behind such a name, as in JSON within XML; or an element that has children.
  const left = new RegExp(
    String.raw`(?:${names})["'\\\s]*[:=>,<](?!["'\\\s]*(?:\[redacted\]|\[blanked\]|<|null\b|[,}&]|$))|<[^\s<>/]*(?:${names})[^<>]*(?<!/)>(?!\s*(?:\[redacted\]|</|$))`,
    "i",
  );
  const named = new RegExp(names, "i");
  const mentions = (text: string, pattern: RegExp) =>
    [...viewsOf(text)].some((view) => pattern.test(view));
  const harmless = services.filter((one) => namesOf([one], "value").length === 0);
  return (
    { service, request: { headers, body } }: Exchange,
    replace: ReplaceValue,
    secrets: ReadonlySet<string>,
  ): RecordedBody => {
    const bytes = bytesOf(body);
    if (bytes === undefined) return body;
    try {
      const text = replaceInBody(bytes, headers, replace);
      if (secrets.size >= secretsMax) return omit(body, "it has too many secrets");
      if (mentions(text, left)) return omit(body, "a secret may be left in it");
      return toRecordedBody(Buffer.from(text, "latin1"));
    } catch (cause) {
      if (!(cause instanceof UnreadableError)) throw cause;
      const isHarmless =
        headerOf({ headers }, "content-encoding") === undefined &&
        harmless.some(({ name }) => name === service) &&
        !mentions(bytesAsText(bytes), named);
      return isHarmless ? body : omit(body, cause.message);
    }
  };
}

/** Leaves a body out, for a reason that completes "because"; one that is left out already stays so. */
export function omit(body: RecordedBody, omitted: string): RecordedBody {
  return "omitted" in body ? body : { omitted, bytes: lengthOf(body) };
}

/** Leaves a body out where a secret is in it, or may be. */
function omitWhere(
  secrets: ReadonlySet<string>,
  body: RecordedBody,
  headers: readonly string[],
): RecordedBody {
  const bytes = bytesOf(body);
  if (bytes === undefined || secrets.size === 0) return body;
  const plain = decompress(bytes, headerOf({ headers }, "content-encoding")?.toLowerCase());
  if (plain === undefined || plain.length > searchedBytesMax) {
    return omit(body, "it cannot be searched for secrets");
  }
  return holds(bytesAsText(plain), secrets) ? omit(body, "a secret of the request is in it") : body;
}

/** The bytes before a Content-Encoding; undefined for what cannot be decompressed. */
export function decompress(bytes: Buffer, encoding = "identity"): Buffer | undefined {
  const limit = { maxOutputLength: plainBytesMax };
  try {
    // The response to HEAD has the header too, and no body.
    if (encoding === "identity" || bytes.length === 0) return bytes;
    if (encoding === "br") return brotliDecompressSync(bytes, limit);
    if (!/^(?:(?:x-)?gzip|deflate)$/.test(encoding)) return undefined;
    // Servers write deflate with or without its header.
    if (encoding === "deflate" && (bytes[0] ?? 0) % 16 !== 8) return inflateRawSync(bytes, limit);
    return unzipSync(bytes, limit);
  } catch {
    return undefined;
  }
}

/** Whether one of the secrets is in a text with one UTF-16 unit for each byte, in whatever form. */
function holds(text: string, secrets: ReadonlySet<string>): boolean {
  if (secrets.size === 0) return false;
  const shortest = Math.min(...[...secrets].map(({ length }) => length));
  const decoded = (text.match(/[\w+/-]{4,}/g) ?? [])
    .filter((run) => run.length * 0.75 >= shortest)
    .map((run) => bytesAsText(Buffer.from(run, "base64")));
  const views = [...viewsOf(text), ...decoded, ...decoded.map(asUtf8)];
  return views.some((view) => [...secrets].some((secret) => view.includes(secret)));
}

function namesOf(services: readonly ServiceContract[], kind: "value" | "in-address") {
  return services.flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ input }) =>
      Object.entries(input).flatMap(([name, { secret }]) =>
        secret === kind ? [name.toLowerCase()] : [],
      ),
    ),
  );
}
