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
  /** As sent, up to and with the empty line. */
  readonly bytes: Buffer;
}

/** Cached blocks of header fields, and the longest of them in bytes: a client sends the same fields each time. */
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

const endOfLine = Buffer.from("\r\n");
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
  const blocks = new BoundedCache<string, Fields>(cachedMax);
  // Those of the request before are most likely to come again, and comparing bytes takes a tenth of a look-up by text.
  let recentFields: Fields | undefined;
  let recentLine = { text: "", method: "", target: "" };
  const findFields = (bytes: Buffer, at: number): Fields | undefined => {
    if (recentFields !== undefined && isAt(bytes, at, recentFields.bytes)) return recentFields;
    // Without fields, the line end before them is the first of the two.
    const end = bytes.indexOf(endOfHead, at - endOfLine.length);
    if (end < 0 || end > limits.headBytesMax) return undefined;
    const block = bytes.toString("latin1", at, end);
    const cached = blocks.get(block);
    if (cached !== undefined) {
      recentFields = cached;
      return cached;
    }
    const read = readFields(block, limits.headersMax);
    if (read === undefined) return undefined;
    const fields = { ...read, bytes: Buffer.from(`${block}\r\n\r\n`, "latin1") };
    if (block.length > cachedLengthMax) return fields;
    blocks.set(block, fields);
    recentFields = fields;
    return fields;
  };
  const findLine = (text: string): typeof recentLine | undefined => {
    if (text === recentLine.text) return recentLine;
    const [, method = "", target = ""] = requestLine.exec(text) ?? [];
    if (method === "" || target.length > limits.targetBytesMax) return undefined;
    recentLine = { text, method, target };
    return recentLine;
  };
  return (bytes) => {
    const lineEnd = bytes.indexOf(endOfLine);
    const line = lineEnd < 0 ? undefined : findLine(bytes.toString("latin1", 0, lineEnd));
    if (line === undefined) return undefined;
    const fields = findFields(bytes, lineEnd + endOfLine.length);
    if (fields === undefined) return undefined;
    const { method, target } = line;
    const { length: bodyLength = 0, isLast } = fields;
    // A POST without a length has no body either, but no common client sends one.
    if ((fields.length === undefined) !== (method === "GET")) return undefined;
    const bodyAt = lineEnd + endOfLine.length + fields.bytes.length;
    if (bodyAt > limits.headBytesMax || bodyLength > limits.bodyBytesMax) return undefined;
    const missing = bodyAt + bodyLength - bytes.length;
    if (missing < 0) return undefined;
    const head = joinHead(method, target, fields);
    return { head, body: missing > 0 ? undefined : bytes.subarray(bodyAt), isLast };
  };
}

/** Whether bytes have others at some place. */
function isAt(bytes: Buffer, at: number, others: Buffer): boolean {
  const end = at + others.length;
  return end <= bytes.length && bytes.compare(others, 0, others.length, at, end) === 0;
}

/** Reads a block of header fields; undefined when one of them is not common. */
function readFields(block: string, headersMax: number): Omit<Fields, "bytes"> | undefined {
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
