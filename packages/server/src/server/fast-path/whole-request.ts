import { emptyBody, type HttpHead } from "../../bindings/http.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentTypeOf, describeInvalidHead, joinHead } from "../http/incoming-request.ts";
import { namesStreamType } from "../http/response-stream.ts";
import type { Config } from "../settings/settings.ts";

/** A request whose head has arrived, and all of its body or not yet. */
export interface WholeRequest {
  readonly head: HttpHead;
  /** Undefined when a part of it has not arrived. */
  readonly body: Uint8Array | undefined;
  /** True when the caller asks to close the connection after the response. */
  readonly isLast: boolean;
}

interface Fields extends Pick<HttpHead, "headers" | "contentType"> {
  /** Content-Length in bytes; undefined without one. */
  readonly length: number | undefined;
  readonly isLast: boolean;
}

/** A head, with the place and the length of its body in bytes. */
type WholeHead = Pick<WholeRequest, "head" | "isLast"> & {
  readonly bodyAt: number;
  readonly bodyLength: number;
};

/** A head that is kept, with its bytes up to and with the empty line. */
type KeptHead = WholeHead & { readonly bytes: Buffer };

/**
 * Cached heads and blocks of header fields, and the longest of them, in characters: a client sends
 * the same fields each time, and the same head with each POST to an address without a query.
 */
const cachedMax = 256;
const cachedLengthMax = 2_048;

/** The target in the characters of RFC 3986, without a fragment. */
const requestLine = /^(GET|POST) (\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*) HTTP\/1\.1$/;
const queryText = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*$/;
/**
 * One field (RFC 9110 §5.1, §5.5) of visible ASCII, with blanks around its value; anything else is
 * rare and left to node:http. No two of its parts match the same characters: it takes linear time.
 */
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~]*)$/;

/** Fields that change how a connection is read, written or kept. */
const leftToNode = new Set([
  "transfer-encoding",
  "expect",
  "upgrade",
  "trailer",
  "te",
  "http2-settings",
  "proxy-connection",
]);

const endOfHead = Buffer.from("\r\n\r\n");
const getStart = "GET ";
const letterG = 0x47;

/**
 * Creates a reader of requests that arrive whole and in the most common form: HTTP/1.1, a GET
 * without a body or a POST with a Content-Length. When only body is missing, it returns the head.
 *
 * Undefined leaves everything else to node:http from its first byte: what is unusual, wrong or over
 * a limit. So no request is refused, or read in another way than node:http would (decision 0039).
 */
export function createWholeRequestReader(
  limits: Pick<Config, "headBytesMax" | "headersMax" | "targetBytesMax" | "bodyBytesMax">,
): (bytes: Buffer) => WholeRequest | undefined {
  const heads = new BoundedCache<string, KeptHead>(cachedMax);
  const fieldBlocks = new BoundedCache<string, Fields>(cachedMax);
  // What came last is likeliest to come again; comparing takes a fraction of a look-up by text.
  let recent: KeptHead | undefined;
  const gets = createQueryReader(limits);
  let recentBlock = "";
  let recentFields: Fields | undefined;
  const findFields = (block: string): Fields | undefined => {
    if (block === recentBlock) return recentFields;
    const cached = fieldBlocks.get(block);
    const fields = cached ?? readFields(block, limits.headersMax);
    if (fields === undefined || block.length > cachedLengthMax) return fields;
    if (cached === undefined) fieldBlocks.set(block, fields);
    recentBlock = block;
    recentFields = fields;
    return fields;
  };
  const readHead = (text: string): WholeHead | undefined => {
    const lineEnd = Math.max(text.indexOf("\r\n"), 0);
    const [, method = "", target = ""] = requestLine.exec(text.slice(0, lineEnd)) ?? [];
    if (method === "" || target.length > limits.targetBytesMax) return undefined;
    const fields = findFields(text.slice(lineEnd + 2));
    if (fields === undefined) return undefined;
    const { length: bodyLength = 0, isLast } = fields;
    // A POST without a length has no body either, but no common client sends one.
    if ((fields.length === undefined) !== (method === "GET")) return undefined;
    if (bodyLength > limits.bodyBytesMax) return undefined;
    const bodyAt = text.length + endOfHead.length;
    return { head: joinHead(method, target, fields), bodyAt, bodyLength, isLast };
  };
  const findHead = (bytes: Buffer): WholeHead | undefined => {
    const end = bytes.indexOf(endOfHead);
    if (end < 0 || end + endOfHead.length > limits.headBytesMax) return undefined;
    const text = bytes.toString("latin1", 0, end);
    if (bytes[0] === letterG) {
      const whole = readHead(text);
      if (whole !== undefined) gets.keep(whole, bytes);
      return whole;
    }
    const cached = heads.get(text);
    const read = cached ?? readHead(text);
    if (read === undefined || read.head.query !== "" || text.length > cachedLengthMax) return read;
    recent = cached ?? { ...read, bytes: Buffer.from(bytes.subarray(0, read.bodyAt)) };
    if (cached === undefined) heads.set(text, recent);
    return recent;
  };
  return (bytes) => {
    const get = bytes[0] === letterG ? gets.read(bytes) : undefined;
    if (get !== undefined) return get;
    const isRecent =
      recent !== undefined &&
      recent.bodyAt <= bytes.length &&
      bytes.compare(recent.bytes, 0, recent.bodyAt, 0, recent.bodyAt) === 0;
    const whole = isRecent ? recent : findHead(bytes);
    if (whole === undefined) return undefined;
    const { head, bodyAt, bodyLength, isLast } = whole;
    const missing = bodyAt + bodyLength - bytes.length;
    if (missing < 0) return undefined;
    return { head, body: missing > 0 ? undefined : bytes.subarray(bodyAt), isLast };
  };
}

/** Creates a reader of GETs that differ from the one before in their query only, as look-ups do. */
function createQueryReader(limits: Pick<Config, "headBytesMax" | "targetBytesMax">) {
  /** The most recent one, and its bytes before and after the query. */
  let recent:
    | { readonly whole: WholeHead; readonly before: Buffer; readonly after: Buffer }
    | undefined;
  return {
    keep: (whole: WholeHead, bytes: Buffer): void => {
      if (whole.head.query === "" || whole.bodyAt > cachedLengthMax) return;
      const queryEnd = bytes.indexOf(" ", getStart.length);
      const before = Buffer.from(bytes.subarray(0, queryEnd - whole.head.query.length));
      const after = Buffer.from(bytes.subarray(queryEnd, whole.bodyAt));
      recent = { whole, before, after };
    },
    read: (bytes: Buffer): WholeRequest | undefined => {
      if (recent === undefined) return undefined;
      const { whole, before, after } = recent;
      const { length } = bytes;
      const queryEnd = length - after.length;
      if (queryEnd < before.length || length > limits.headBytesMax) return undefined;
      if (bytes.compare(before, 0, before.length, 0, before.length) !== 0) return undefined;
      if (bytes.compare(after, 0, after.length, queryEnd, length) !== 0) return undefined;
      const query = bytes.toString("latin1", before.length, queryEnd);
      if (queryEnd - getStart.length > limits.targetBytesMax || !queryText.test(query))
        return undefined;
      const { method, path, headers, contentType } = whole.head;
      return {
        head: { method, path, query, headers, contentType },
        body: emptyBody,
        isLast: whole.isLast,
      };
    },
  };
}

/** Reads a block of header fields; undefined when one of them is not common. */
function readFields(block: string, headersMax: number): Fields | undefined {
  const headers: string[] = [];
  const lengths: number[] = [];
  const connections: string[] = [];
  for (const line of block.split("\r\n", headersMax + 1)) {
    const [, name = "", padded = ""] = fieldLine.exec(line) ?? [];
    const value = padded.trim();
    const lowerName = name.toLowerCase();
    if (!isCommon(lowerName, value)) return undefined;
    if (lowerName === "content-length") lengths.push(Number(value));
    if (lowerName === "connection") connections.push(value.toLowerCase());
    headers.push(name, value);
  }
  if (lengths.length > 1 || connections.length > 1) return undefined;
  if (headers.length > headersMax * 2) return undefined;
  if (describeInvalidHead(headers, "1.1") !== undefined) return undefined;
  const contentType = contentTypeOf(headers);
  return { headers, contentType, length: lengths[0], isLast: connections[0] === "close" };
}

function isCommon(lowerName: string, value: string): boolean {
  if (lowerName === "connection") return /^(?:keep-alive|close)$/i.test(value);
  if (lowerName === "content-length") return /^\d{1,9}$/.test(value);
  // The response may be a stream, which goes to no other caller.
  if (lowerName === "accept") return !namesStreamType(value);
  return lowerName !== "" && !leftToNode.has(lowerName);
}
