import type { HttpHead } from "../../bindings/http.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { contentTypeOf, describeAmbiguity, joinHead } from "../http/incoming-request.ts";
import type { Config } from "../settings/settings.ts";

/** A request whose head has arrived, and all of its body or not yet. */
export interface WholeRequest {
  readonly head: HttpHead;
  /** Undefined when a part of it has not arrived. */
  readonly body: Uint8Array | undefined;
  /** Whether the caller asks to close the connection after the response. */
  readonly isLast: boolean;
}

/** The header fields of a head. */
interface Fields extends Pick<HttpHead, "headers" | "contentType"> {
  /** Content-Length in bytes; undefined without one. */
  readonly length: number | undefined;
  readonly isLast: boolean;
}

/** A head, with the length of its body in bytes. */
type WholeHead = Pick<WholeRequest, "head" | "isLast"> & { readonly bodyLength: number };

/**
 * Cached heads and blocks of header fields, and the longest of them, in characters: a client sends the same fields each
 * time, and the same head with each POST to an address without a query.
 */
const cachedMax = 256;
const cachedLengthMax = 2_048;

/** The target in the characters of RFC 3986, without a fragment. */
const requestLine = /^(GET|POST) (\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*) HTTP\/1\.1$/;
/**
 * One field (RFC 9110 §5.1, §5.5) of visible ASCII, with blanks around its value; anything else is rare and left to
 * node:http. No two parts of the pattern match the same characters, so it takes linear time.
 */
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~]*)$/;

/** Fields that change how a connection is read, written or kept. */
const leftToNode = new Set([
  ...["transfer-encoding", "expect", "upgrade", "trailer", "te", "http2-settings"],
  "proxy-connection",
]);

const endOfHead = Buffer.from("\r\n\r\n");

/**
 * Creates a reader of requests that arrive whole and in the most common form: HTTP/1.1, a GET without a body or a POST
 * with a Content-Length. When only a part of the body is missing, it returns the head.
 *
 * It returns undefined for everything else: what is unusual, wrong or over a limit is left to node:http, from its first
 * byte. So it refuses nothing, and never reads another request than node:http would (decision 0039).
 */
export function createWholeRequestReader(
  limits: Pick<Config, "headBytesMax" | "headersMax" | "targetBytesMax" | "bodyBytesMax">,
): (bytes: Buffer) => WholeRequest | undefined {
  const heads = new BoundedCache<string, WholeHead>(cachedMax);
  const fieldBlocks = new BoundedCache<string, Fields>(cachedMax);
  const findFields = (block: string): Fields | undefined => {
    const cached = fieldBlocks.get(block);
    if (cached !== undefined) return cached;
    const fields = readFields(block, limits.headersMax);
    if (fields !== undefined && block.length <= cachedLengthMax) fieldBlocks.set(block, fields);
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
    return { head: joinHead(method, target, fields), bodyLength, isLast };
  };
  const findHead = (text: string): WholeHead | undefined => {
    // The address of a GET differs each time.
    if (!text.startsWith("POST")) return readHead(text);
    const cached = heads.get(text);
    if (cached !== undefined) return cached;
    const whole = readHead(text);
    if (whole?.head.query === "" && text.length <= cachedLengthMax) heads.set(text, whole);
    return whole;
  };
  return (bytes) => {
    const end = bytes.indexOf(endOfHead);
    const bodyAt = end + endOfHead.length;
    if (end < 0 || bodyAt > limits.headBytesMax) return undefined;
    const text = bytes.toString("latin1", 0, end);
    const whole = findHead(text);
    if (whole === undefined) return undefined;
    const { head, isLast } = whole;
    const missing = bodyAt + whole.bodyLength - bytes.length;
    if (missing < 0) return undefined;
    return { head, body: missing > 0 ? undefined : bytes.subarray(bodyAt), isLast };
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
  if (describeAmbiguity(headers, "1.1") !== undefined) return undefined;
  const contentType = contentTypeOf(headers);
  return { headers, contentType, length: lengths[0], isLast: connections[0] === "close" };
}

function isCommon(lowerName: string, value: string): boolean {
  if (lowerName === "connection") return /^(?:keep-alive|close)$/i.test(value);
  if (lowerName === "content-length") return /^\d{1,9}$/.test(value);
  return lowerName !== "" && !leftToNode.has(lowerName);
}
