import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { CommandError, exitCodes } from "@wfh/cli/io/exit-codes.ts";
import { headerOf, readMediaType } from "@wfh/server/bindings/http.ts";
import { decodeXml } from "@wfh/server/codec/decode-text.ts";
import {
  attributeOf,
  createXmlReader,
  type XmlElement,
  XmlError,
} from "@wfh/server/codec/xml/reader.ts";
import { describeFileError, isSystemError } from "@wfh/server/lib/file-error.ts";
import { decompress, type WholeResponse } from "../compare/whole-response.ts";
import { Upstream } from "../upstream.ts";

/** Longest document, in MiB as it is after gzip: 100 times that of a service of the contract. */
const documentMiB = 4;
/** Most documents of one WSDL. WCF spreads one over about six. */
const documentsMax = 40;
const redirectsMax = 10;

/** Bounds of one document: 50 times what the services of the contract need. */
const readXml = createXmlReader({
  depth: 64,
  elements: 50_000,
  attributes: 200_000,
  marks: 500_000,
  nameLength: 1_024,
  textLength: 1_048_576,
});

/** A WSDL that cannot be read or compared. The message says why, and how to fix it. */
export class WsdlError extends CommandError {
  constructor(message: string, cause?: unknown) {
    super(message, exitCodes.failed, cause);
  }
}

const saveIt = "Save the WSDL with a browser, and name the file.";
const askForOne = "Request ?singleWsdl, which WCF 4.5 and newer have.";

/** A WSDL with what it imports from the same origin, or from files in its folder or below. */
export interface WsdlDocuments {
  /** A URL, the path of a file, or `standard input`. */
  readonly place: string;
  /** Of the WSDL, and of the WSDLs and schemas that it imports. */
  readonly roots: readonly XmlElement[];
  /** Why an import could not be read, a sentence each: matters if a definition is missing. */
  readonly failedImports: readonly string[];
}

type Bytes = AsyncIterable<Uint8Array | string>;

/** One document, and what its imports are relative to. */
interface Document {
  readonly root: XmlElement;
  readonly base: string;
}

/**
 * Reads a WSDL with its imports, from a URL, the path of a file, or a stream.
 *
 * @param timeoutMs time for all documents of a URL.
 * @throws {WsdlError} when the WSDL itself cannot be read, or imports too many documents.
 */
export async function readWsdl(from: string | Bytes, timeoutMs: number): Promise<WsdlDocuments> {
  const place = typeof from === "string" ? from : "standard input";
  const download = createDownload(timeoutMs);
  const read = (one: string) => (isUrl(one) ? download(one) : readLocal(one, from));
  const wsdl = await read(place);
  requireWsdl(wsdl.root, place);
  const roots = [wsdl.root];
  const failedImports: string[] = [];
  const seen = new Set([place]);
  const imports = importsOf(wsdl);
  // The loop reaches the imports of imports, which it adds.
  for (const { location, base } of imports) {
    if (seen.size > documentsMax) {
      throw new WsdlError(`${place} imports more than ${documentsMax} documents. ${askForOne}`);
    }
    try {
      if (typeof from !== "string") {
        throw new WsdlError("standard input has no folder. Name a file or a URL.");
      }
      const imported = isUrl(base) ? resolveUrl("it", location, base) : resolveFile(location, base);
      if (seen.has(imported)) continue;
      seen.add(imported);
      const document = await read(imported);
      roots.push(document.root);
      imports.push(...importsOf(document));
    } catch (cause) {
      if (!(cause instanceof WsdlError)) throw cause;
      failedImports.push(`The import ${location} could not be read: ${cause.message}`);
    }
  }
  return { place, roots, failedImports };
}

/** Makes a function that downloads documents, all of them within the time. */
function createDownload(timeoutMs: number): (url: string) => Promise<Document> {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (from) => {
    let url = from;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const response = await requestDocument(url, signal);
      if (signal.aborted) {
        throw new WsdlError(
          `${url}: no complete response within ${timeoutMs / 1_000} s. Set --timeout, or save the WSDL with a browser and name the file.`,
        );
      }
      if (response instanceof Error) throw new WsdlError(`${response.message}\n${saveIt}`);
      const location = headerOf(response, "location");
      if (location === undefined || Math.floor(response.status / 100) !== 3) {
        return { root: parseResponse(response, url), base: url };
      }
      url = resolveUrl(`${url} redirects to ${location}, which`, location, url);
    }
    throw new WsdlError(`${from}: too many redirects. ${saveIt}`);
  };
}

async function requestDocument(url: string, signal: AbortSignal): Promise<WholeResponse | Error> {
  const { username, password, origin, host, pathname, search } = new URL(url);
  if (username + password !== "") {
    throw new WsdlError(`A URL with a password, also of a redirect, is not read. ${saveIt}`);
  }
  const upstream = new Upstream({ name: "The old server", url: new URL(origin), silenceMs: 0 });
  const head = { method: "GET", target: pathname + search, headers: ["Host", host] };
  return upstream.fetch(head, Buffer.alloc(0), signal).finally(() => upstream.close());
}

function parseResponse(response: WholeResponse, url: string): XmlElement {
  if (response.status !== 200) throw new WsdlError(describeStatus(url, response));
  const { charset } = readMediaType(headerOf(response, "content-type") ?? "");
  const bytes = decompress(response);
  if (bytes === undefined) throw new WsdlError(`${url} cannot be decompressed. ${saveIt}`);
  return parseDocument(bytes, charset, url);
}

/**
 * The URL of an import or redirect. An old server must not make this machine call any other.
 *
 * @param what begins the sentence of the error.
 * @throws {WsdlError} for another scheme, host or port.
 */
function resolveUrl(what: string, location: string, base: string): string {
  const url = URL.parse(location, base);
  const { origin } = new URL(base);
  if (url?.origin === origin) return url.href;
  throw new WsdlError(
    `${what} is not at ${origin}, and is not requested. If the old server is there, give that address; otherwise save the WSDL, from ?singleWsdl where the server has it, and name the file.`,
  );
}

/** Reads a file, or the stream that is the WSDL. */
async function readLocal(place: string, wsdl: string | Bytes): Promise<Document> {
  try {
    if (typeof wsdl === "string" && place !== wsdl) requireFileBeside(place, wsdl);
    const bytes = typeof wsdl === "string" ? createReadStream(place) : wsdl;
    return { root: parseDocument(await collect(bytes, place), undefined, place), base: place };
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new WsdlError(`${describeFileError(place, cause)}.`, cause);
  }
}

/** Keeps an import from naming any file of this machine, and from waiting for a FIFO. */
function requireFileBeside(place: string, wsdl: string): void {
  if (relative(dirname(realpathSync(wsdl)), realpathSync(place)).startsWith("..")) {
    throw new WsdlError(`it is not in the folder of ${wsdl}. Copy it there.`);
  }
  if (!statSync(place).isFile()) throw new WsdlError(`${place} is not a file.`);
}

/** The path of an import. */
function resolveFile(location: string, base: string): string {
  if (!/^[a-z][a-z0-9+.-]*:|^[?]/i.test(location)) return join(dirname(base), location);
  throw new WsdlError(
    "it is not a file beside it. Name the URL of the WSDL, or save the one document of ?singleWsdl.",
  );
}

/** The root of one document. */
export function parseDocument(
  bytes: Uint8Array,
  charset: string | undefined,
  name: string,
): XmlElement {
  if (bytes.length === 0) throw new WsdlError(`${name} is empty.`);
  const text = decode(bytes, charset, name);
  if (/^\s*<(?:!doctype\s+html|html)\b/i.test(text)) {
    throw new WsdlError(
      `${name} is an HTML page, not a WSDL.\nAdd ?wsdl to the address of the service. A log-in page means that you must save the WSDL with a browser, and name the file.`,
    );
  }
  try {
    return readXml(text);
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    const { message, line, column } = cause;
    const isCut = /^(?:unclosed tag|unexpected end)/.test(message);
    const what = isCut ? "is truncated" : "cannot be read as XML";
    throw new WsdlError(
      `${name} ${what} (line ${line}, column ${column}): ${message.replace(/\.$/, "")}.${isCut ? "\nSave it again." : ""}`,
      cause,
    );
  }
}

function decode(bytes: Uint8Array, charset: string | undefined, name: string): string {
  try {
    // UTF-16 without a byte order mark shows in its first character.
    const isWide = bytes[0] === 0 || bytes[1] === 0;
    return decodeXml(bytes, isWide ? "utf-16" : charset);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new WsdlError(`${name} cannot be read: ${cause.message}. Save it as UTF-8.`, cause);
  }
}

function requireWsdl({ name: found, namespace }: XmlElement, name: string): void {
  if (found === "definitions" && namespace === "http://schemas.xmlsoap.org/wsdl/") return;
  throw new WsdlError(
    `${name} is not a WSDL 1.1: its root element is ${found}, not definitions.\nAdd ?wsdl to the address of the service.`,
  );
}

/** Where a document says that the imports of it and its schemas are. */
function importsOf({ root, base }: Document): { location: string; base: string }[] {
  const isImport = /^(?:import|include|redefine)$/.test(root.name);
  const location =
    attributeOf(root, "", "location") ?? attributeOf(root, "", "schemaLocation") ?? "";
  const own = isImport && location !== "" ? [{ location, base }] : [];
  return [...own, ...root.children.flatMap((child) => importsOf({ root: child, base }))];
}

/** True for an address that can be requested, not a file. */
function isUrl(place: string): boolean {
  return /^https?:/i.test(place);
}

function describeStatus(place: string, response: WholeResponse): string {
  const { status } = response;
  if (status === 404) return `${place} has status 404. Check the path of the address.`;
  if (status !== 401) return `${place} has status ${status}, not 200. ${saveIt}`;
  const scheme = /^\w+/.exec(headerOf(response, "www-authenticate") ?? "")?.[0];
  const how = scheme === undefined ? "" : ` (${scheme})`;
  return `${place} asks for a log-in${how}, which this command does not do.\n${saveIt}`;
}

async function collect(bytes: Bytes, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > documentMiB * 1_048_576) {
      throw new WsdlError(
        `${name} is longer than ${documentMiB} MiB, the limit for a WSDL. Check that it is the WSDL.`,
      );
    }
  }
  return Buffer.concat(chunks);
}
