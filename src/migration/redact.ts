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
/** What a Set-Cookie has behind its value. */
const cookieAttribute =
  /^(?:(?:expires|max-age|domain|path|samesite|priority)=[^=\r\n]*|secure|httponly|partitioned)?$/i;
/** Members with another value than text, and elements with children: such values are not replaced. */
const nested =
  /"([^"\\]+)"\s*:\s*(?!null\b)[^"\s]|<(?:[^\s<>/:]+:)?([^\s<>/:!?]+)(?:\s[^<>]*)?(?<!\/)>\s*<[^/!?]/g;
/** Beside those of the contract: clients send more than servers read. */
const moreSecretParts = ["pass_?w(?:or)?d", "pwd", "secret", "token", "credential", "api_?key"];

type IsSecret = (name: string, written?: string) => boolean;

/** What redaction is compiled from. */
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
 * Compiles redaction (decision 0079). Replaced are the values of secret parts, of headers with a secret name and of secret
 * parameters of URLs. A body is omitted where its secrets cannot be found for certain, and where a secret of the request
 * is in it again, in whatever form.
 */
export function compileRedaction(options: RedactionOptions): Redact {
  const { services, redactAddress, isSecretName } = options;
  const isSecretHeader: IsSecret = (name) =>
    secretHeader.test(name) || (!/^access-control-/i.test(name) && isSecretName(name));
  const isSecretPart = compileIsSecretPart(options);
  const compileReplace = compileReplacing(options, isSecretPart);
  const redactRequestBody = compileBodyRedaction(services, isSecretPart);
  return (exchange) => {
    const { request, response } = exchange;
    const inRequest = new Set<string>();
    const replace = compileReplace(inRequest);
    const target = redactAddress(
      request.target.replace(/(?<=\?).*/s, (query) => replaceValues(query, form, replace)),
    );
    const body = redactRequestBody(exchange, replace, inRequest);
    const inHeaders = secretsInHeaders(exchange, isSecretHeader);
    const secrets = new Set([...inRequest, ...inHeaders].slice(0, secretsMax));
    const redactText = (text: string) => (holds(text, secrets) ? redacted : text);
    const redactHeaders = (headers: readonly string[]) => {
      const clean = headers.map((text, i) => {
        const name = headers[i - 1] ?? "";
        if (i % 2 === 0) return text;
        if (isSecretHeader(name)) return redactHeader(name, text);
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

/**
 * Values of headers with a secret name, as written and as meant: of each cookie, behind the scheme of Authorization, and the
 * password of Basic. The number of a session that the request has in a part too is no secret.
 */
function secretsInHeaders({ request, response }: Exchange, isSecret: IsSecret): readonly string[] {
  const parts = request.target + (bytesOf(request.body)?.toString("latin1") ?? "");
  const values = [...request.headers, ...(response?.headers ?? [])].flatMap((text, i, all) => {
    const name = all[i - 1] ?? "";
    if (i % 2 === 0 || !isSecret(name)) return [];
    const [, basic = ""] = /^Basic\s+(\S+)/i.exec(text) ?? [];
    const [, password = ""] = Buffer.from(basic, "base64").toString().split(/:(.*)/s);
    // The rest of Set-Cookie are settings, such as the domain, which may be in any response.
    const pieces = text.split(";", /^set-cookie$/i.test(name) ? 1 : undefined);
    return [password, ...pieces.map((one) => one.replace(/^\s*[^=\s]*[=\s]\s*/, ""))];
  });
  return values
    .map((value) => value.trim().replace(/^"(.*)"$/s, "$1"))
    .flatMap((value) => [value, form.decode(value)])
    .filter((one) => one.length >= headerLengthMin && one !== redacted && !parts.includes(one));
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

/** Makes a test for secret parts. Those of the contract are secret where it says so; calls need the others to be sent again. */
function compileIsSecretPart({ services, isSecretName }: RedactionOptions): IsSecret {
  const names = namesOf(services, "value");
  const secretPart = new RegExp([...names, ...moreSecretParts].join("|"), "i");
  const others = namesOf(services, undefined);
  return (name, written = "") => {
    if (secretPart.test(name)) return true;
    // Maps have a name as a value: <key>passWord</key>.
    const isNamed = !others.includes(name.toLowerCase()) && !names.includes(written.toLowerCase());
    return isNamed && isSecretName(name);
  };
}

/** Returns what replaces the secret parts of one request, and adds their values to a set. */
function compileReplacing({ services, redactAddress }: RedactionOptions, isSecret: IsSecret) {
  const addresses = namesOf(services, "in-address");
  const replaceAddress = (written: string, { decode, encode }: Notation) => {
    const address = decode(asUtf8(written));
    const other = redactAddress(address);
    return other === address ? written : bytesAsText(Buffer.from(encode(other)));
  };
  return (secrets: Set<string>): ReplaceValue =>
    (name, written, notation) => {
      if (addresses.includes(name.toLowerCase())) return replaceAddress(written, notation);
      if (written === "" || written === redacted || !isSecret(name, written)) return written;
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
function compileBodyRedaction(services: readonly ServiceContract[], isSecret: IsSecret) {
  const names = namesOf(services, "value").join("|");
  // A value that was not replaced behind such a name, as in JSON within XML; or an element that has children.
  const left = new RegExp(
    String.raw`(?:${names})["'\\\s]*[:=>,<](?!["'\\\s]*(?:\[redacted\]|<|null\b|[,}&]|$))|<(?=[^\s<>/]*(?:${names}))[^<>]*(?<!/)>(?!\s*(?:\[redacted\]|</|$))`,
    "i",
  );
  const named = new RegExp(names, "i");
  const mentions = (text: string, pattern: RegExp) =>
    [...viewsOf(text)].some((view) => pattern.test(view));
  const isLeft = (text: string) =>
    mentions(text, left) ||
    [...text.matchAll(nested)].some(([, member = "", element = ""]) => isSecret(member || element));
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
      if (isLeft(text)) return omit(body, "a secret may be left in it");
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

function namesOf(services: readonly ServiceContract[], kind: "value" | "in-address" | undefined) {
  return services.flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ input }) =>
      Object.entries(input).flatMap(([name, { secret }]) =>
        secret === kind ? [name.toLowerCase()] : [],
      ),
    ),
  );
}
