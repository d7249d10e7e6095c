import { brotliDecompressSync, inflateRawSync, unzipSync } from "node:zlib";
import { headerOf } from "../bindings/http.ts";
import { bytesAsText } from "../codec/decode-text.ts";
import type { ServiceContract } from "../contract/operation.ts";
import { bytesOf, type Exchange, type RecordedBody, toRecordedBody } from "./exchange.ts";
import { type ReplacePart, replaceInForm, replaceParts, UnreadableError } from "./request-parts.ts";
import { asByteText, asUtf8, viewsOf } from "./unescape.ts";

/** What takes the place of a secret. */
export const redacted = "[redacted]";

/** Longest body that is searched for the secrets of its request, in bytes once it is decompressed. */
const searchedBytesMax = 8_388_608;
/** Shorter secrets are only replaced in their part: they occur everywhere. In UTF-16 units. */
const searchedLengthMin = 3;

const secretHeader =
  /^(?!access-control-).*(?:cookie|auth|pass|pwd|secret|token|credential|session|signature|jwt|key$)/i;
/** Beside those of the contract: clients send more than servers read. */
const secretPart = "pass_?w(?:or)?d|secret|token|credential|api_?key";

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
export function compileRedaction(options: RedactionOptions): Redact {
  const { redactAddress } = options;
  const cleanBody = compileBodyCleaner(options);
  const findSecrets = compileSecretFinder(options);
  return (exchange) => {
    const { request, response } = exchange;
    const { replace, secrets } = findSecrets();
    const [path = "", ...query] = request.target.split("?");
    const cleanQuery = replaceInForm(query.join("?"), replace);
    const target = redactAddress(query.length === 0 ? path : `${path}?${cleanQuery}`);
    const body = cleanBody(exchange, replace);
    const redactHeaders = (headers: readonly string[]) =>
      headers.map((text, i) => (i % 2 === 0 ? text : redactHeader(headers[i - 1] ?? "", text)));
    const redactHeader = (name: string, text: string) => {
      if (secretHeader.test(name) || holds(text, secrets)) return redacted;
      return /^\/|:\/\//.test(text) ? redactAddress(text) : text;
    };
    // Its secrets are not known then, and the response may repeat them.
    const isUnknown = "omitted" in body;
    return {
      ...exchange,
      request: {
        ...request,
        target: holds(target, secrets) ? `/${redacted}` : target,
        headers: redactHeaders(request.headers),
        body: omitWhere(secrets, body, request.headers),
      },
      response: response && {
        ...response,
        ...(isUnknown
          ? {
              statusText: redacted,
              headers: headersOfContent(response.headers),
              body: omit(response.body, "the secrets of the request are not known"),
            }
          : {
              statusText: holds(response.statusText, secrets) ? redacted : response.statusText,
              headers: redactHeaders(response.headers),
              body: omitWhere(secrets, response.body, response.headers),
            }),
      },
    };
  };
}

/** What replaces the secret parts of one request, and the secrets that it has met: as written, and as meant. */
function compileSecretFinder({ services, redactAddress }: RedactionOptions) {
  const addresses = namesOf(services, "in-address");
  const secretNames = new RegExp([...namesOf(services, "value"), secretPart].join("|"), "i");
  const cleanAddress: ReplacePart = (_name, written, { decode, encode }) => {
    const address = decode(asUtf8(written));
    const other = redactAddress(address);
    return other === address ? written : asByteText(encode(other));
  };
  return (): { readonly replace: ReplacePart; readonly secrets: ReadonlySet<string> } => {
    const secrets = new Set<string>();
    const replace: ReplacePart = (name, written, notation) => {
      if (addresses.includes(name.toLowerCase())) return cleanAddress(name, written, notation);
      if (written === "" || written === redacted || !secretNames.test(name)) return written;
      const { decode } = notation;
      const forms = [written, decode(written), decode(asUtf8(written))];
      for (const form of forms.flatMap(wordsOf)) {
        if (form.length >= searchedLengthMin) secrets.add(form);
      }
      return redacted;
    };
    return { replace, secrets };
  };
}

/** A secret as it may be repeated: without blanks around it, and where letters beyond ASCII got lost. */
function wordsOf(secret: string): readonly string[] {
  return [secret, secret.trim(), ...(secret.match(/[ -~]{6,}/g) ?? [])];
}

function compileBodyCleaner({ services }: RedactionOptions) {
  const names = namesOf(services, "value").join("|");
  const named = new RegExp(names, "i");
  // A value that was not replaced behind such a name, as in JSON within XML.
  const left = new RegExp(
    String.raw`(?:${names})["'\\\s]*[:=>](?!["'\\\s]*(?:\[redacted\]|\[blanked\]|<|null\b|[,}&]|$))`,
    "i",
  );
  const mentions = (text: string, pattern: RegExp) =>
    [...viewsOf(text)].some((view) => pattern.test(view));
  const harmless = services.filter((one) => namesOf([one], "value").length === 0);
  return ({ service, request: { headers, body } }: Exchange, replace: ReplacePart) => {
    const bytes = bytesOf(body);
    if (bytes === undefined) return body;
    try {
      const text = replaceParts(bytes, headers, replace);
      if (mentions(text, left)) throw new UnreadableError("a secret may be left in it");
      return toRecordedBody(Buffer.from(text, "latin1"));
    } catch (cause) {
      if (!(cause instanceof UnreadableError)) throw cause;
      const isPlain = headerOf({ headers }, "content-encoding") === undefined;
      const isHarmless = isPlain && harmless.some(({ name }) => name === service);
      return isHarmless && !mentions(bytesAsText(bytes), named) ? body : omit(body, cause.message);
    }
  };
}

function headersOfContent(headers: readonly string[]): readonly string[] {
  return headers.filter((_, i) => /^content-(?:type|length)$/i.test(headers[i - (i % 2)] ?? ""));
}

function omit(body: RecordedBody, omitted: string): RecordedBody {
  return "omitted" in body ? body : { omitted, bytes: bytesOf(body)?.length ?? 0 };
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
  if (plain === undefined) return omit(body, "it cannot be searched for secrets");
  return holds(bytesAsText(plain), secrets) ? omit(body, "a secret of the request is in it") : body;
}

/** The bytes before a Content-Encoding; undefined for what cannot be decompressed. */
export function decompress(bytes: Buffer, encoding = "identity"): Buffer | undefined {
  const limit = { maxOutputLength: searchedBytesMax };
  try {
    if (encoding === "identity") return bytes;
    if (encoding === "br") return brotliDecompressSync(bytes, limit);
    // Servers write deflate with or without its header.
    if (encoding === "deflate" && (bytes[0] ?? 0) % 16 !== 8) return inflateRawSync(bytes, limit);
    return unzipSync(bytes, limit);
  } catch {
    return undefined;
  }
}

const base64Run = /[\w+/-]{4,}/g;

/** Whether one of the secrets is in a text with one UTF-16 unit for each byte, in whatever form. */
function holds(text: string, secrets: ReadonlySet<string>): boolean {
  if (secrets.size === 0) return false;
  const decoded =
    text.match(base64Run)?.map((run) => bytesAsText(Buffer.from(run, "base64"))) ?? [];
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
