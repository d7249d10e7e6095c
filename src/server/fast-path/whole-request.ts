import { type HttpHead, headerOf, readMediaType } from "../../bindings/http.ts";
import { describeAmbiguity, joinHead } from "../http/request-head.ts";
import type { Config } from "../settings/settings.ts";

/** A request that is all there, head and body. */
export interface WholeRequest {
  readonly head: HttpHead;
  readonly body: Uint8Array;
  /** Whether the caller asks for the connection to be closed after the answer. */
  readonly isLast: boolean;
}

/** A request whose head has arrived, and whose body has not yet, or not all of it. */
export interface BegunRequest {
  readonly head: HttpHead;
  readonly body: undefined;
}

/** The header fields of a head. */
interface Fields {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly contentType: HttpHead["contentType"];
  /** Bytes of the body; -1 where the fields name no length. */
  readonly length: number;
  readonly isLast: boolean;
}

/** A head, with what its fields say of what follows it. */
interface WholeHead extends Pick<Fields, "length" | "isLast"> {
  readonly head: HttpHead;
}

/**
 * Heads, and blocks of header fields, that are remembered, and the longest of them, in characters: a client sends the same fields
 * each time, and to an address without a query the same head.
 */
const rememberedMax = 256;
const rememberedLength = 2_048;

/** The target in the characters of RFC 3986, without a fragment. */
const requestLine = /^(GET|POST) (\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*) HTTP\/1\.1$/;
/**
 * One field (RFC 9110 §5.1, §5.5) of visible ASCII, with the blanks around its value; what is beyond that is rare, and left to
 * node:http. No two parts of it take the same characters: trying all ways to share them takes quadratic time.
 */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~]*)$/;
const contentLength = /^\d{1,9}$/;

/** Fields that change how a connection is read, written or kept. */
const leftAlone = new Set([
  ...["transfer-encoding", "expect", "upgrade", "trailer", "te", "http2-settings"],
  "proxy-connection",
]);

const endOfHead = Buffer.from("\r\n\r\n");

/**
 * Makes a reader of requests that arrive whole and are written as clients commonly write them: a GET without a body or a POST
 * with a length, in HTTP/1.1. Where nothing but the rest of the body is not there yet, it returns what has begun.
 *
 * It returns undefined for "not mine": anything else, all that is wrong, and all that is over a limit is left to node:http, from
 * its first byte. So it refuses nothing, and never takes for a request what node:http would take for another (decision 0039).
 */
export function createWholeRequestReader(
  limits: Pick<Config, "headBytesMax" | "headersMax" | "targetBytesMax" | "bodyBytesMax">,
): (bytes: Buffer) => WholeRequest | BegunRequest | undefined {
  const fieldsOf = remembering((block) => readFields(block, limits.headersMax));
  const readHead = (text: string): WholeHead | undefined => {
    const lineEnd = text.indexOf("\r\n");
    const [, method = "", target = ""] =
      requestLine.exec(text.slice(0, Math.max(lineEnd, 0))) ?? [];
    if (method === "" || target.length > limits.targetBytesMax) return undefined;
    const fields = fieldsOf(text.slice(lineEnd + 2));
    if (fields === undefined) return undefined;
    const { length, isLast } = fields;
    // Without one a POST has no body either, but who leaves it away is no common client.
    if ((length === none) !== (method === "GET") || length > limits.bodyBytesMax) return undefined;
    return { head: joinHead(method, target, fields), length, isLast };
  };
  const headOf = remembering(readHead);
  return (bytes) => {
    const end = bytes.indexOf(endOfHead);
    const bodyAt = end + endOfHead.length;
    if (end < 0 || bodyAt > limits.headBytesMax) return undefined;
    const text = bytes.toString("latin1", 0, end);
    // A query differs each time.
    const whole = text.includes("?") ? readHead(text) : headOf(text);
    if (whole === undefined) return undefined;
    const missing = bodyAt + Math.max(whole.length, 0) - bytes.length;
    if (missing < 0) return undefined;
    if (missing > 0) return { head: whole.head, body: undefined };
    return { head: whole.head, body: bytes.subarray(bodyAt), isLast: whole.isLast };
  };
}

/** Has a reader remember what it made of texts that it took, until there are too many of them. */
function remembering<Read>(
  read: (text: string) => Read | undefined,
): (text: string) => Read | undefined {
  const remembered = new Map<string, Read>();
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const made = read(text);
    if (made !== undefined && text.length <= rememberedLength) {
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(text, made);
    }
    return made;
  };
}

/** Stands for the length of a body where the fields name none. */
const none = -1;

/** Reads a block of fields; undefined where one of them is not common. */
function readFields(block: string, headersMax: number): Fields | undefined {
  const headers: string[] = [];
  const lengths: string[] = [];
  const wishes: string[] = [];
  for (const line of block.split("\r\n", headersMax + 1)) {
    const [, name = "", blankedValue = ""] = field.exec(line) ?? [];
    const value = blankedValue.trim();
    const lowerName = name.toLowerCase();
    if (!isCommon(lowerName, value)) return undefined;
    if (lowerName === "content-length") lengths.push(value);
    if (lowerName === "connection") wishes.push(value.toLowerCase());
    headers.push(name, value);
  }
  if (headers.length > headersMax * 2 || describeAmbiguity(headers, "1.1") !== undefined) {
    return undefined;
  }
  if (lengths.length > 1 || wishes.length > 1) return undefined;
  const contentType = headerOf({ headers }, "content-type");
  return {
    headers,
    contentType: contentType === undefined ? undefined : readMediaType(contentType),
    length: Number(lengths[0] ?? none),
    isLast: wishes[0] === "close",
  };
}

function isCommon(lowerName: string, value: string): boolean {
  if (lowerName === "connection") return /^(?:keep-alive|close)$/i.test(value);
  if (lowerName === "content-length") return contentLength.test(value);
  return lowerName !== "" && !leftAlone.has(lowerName);
}
