import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { decodeXml } from "../../codec/decode-text.ts";
import { attributeOf, createXmlReader, type XmlElement, XmlError } from "../../codec/xml/reader.ts";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { describeConnectionError } from "../connection-error.ts";

/** Longest document, in MiB as it is after gzip: 100 times that of a service of the contract. */
const documentMiB = 4;
/** Most documents of one WSDL. WCF spreads one over about six. */
const documentsMax = 40;
const redirectsMax = 5;

/** Bounds of one document: 50 times what the services of the contract need. */
const readXml = createXmlReader({
  depth: 64,
  elements: 50_000,
  attributes: 200_000,
  marks: 500_000,
  nameLength: 1_024,
  textLength: 1_048_576,
});

/** A WSDL that cannot be read or compared. The message is for people: what is wrong, and how to fix it. */
export class WsdlError extends Error {}

const saveIt = "Save the WSDL with a browser, and name the file.";

/** A WSDL with what it imports from the same host, or from files in its folder or below. */
export class WsdlDocuments {
  /** A URL, the path of a file, or `standard input`. */
  readonly place: string;
  /** Of the WSDL, and of the WSDLs and schemas that it imports, each once. */
  readonly roots: XmlElement[] = [];
  /** Why an import could not be read, a sentence each. It matters only if a definition is missing. */
  readonly failedImports: string[] = [];
  readonly #input: AsyncIterable<Uint8Array | string> | undefined;
  readonly #timeoutMs: number;
  readonly #timeout: AbortSignal;
  readonly #seen = new Set<string>();

  private constructor(from: string | AsyncIterable<Uint8Array | string>, timeoutMs: number) {
    const isStream = typeof from !== "string";
    this.place = isStream ? "standard input" : from;
    this.#input = isStream ? from : undefined;
    this.#timeoutMs = timeoutMs;
    this.#timeout = AbortSignal.timeout(timeoutMs);
  }

  /**
   * Reads a WSDL with its imports, from a URL, the path of a file, or a stream.
   *
   * @param timeoutMs time for all documents of a URL.
   * @throws {WsdlError} when the WSDL itself cannot be read.
   */
  static async read(
    from: string | AsyncIterable<Uint8Array | string>,
    timeoutMs: number,
  ): Promise<WsdlDocuments> {
    const documents = new WsdlDocuments(from, timeoutMs);
    await documents.#add(documents.place);
    return documents;
  }

  async #add(place: string): Promise<void> {
    if (this.roots.length >= documentsMax) {
      throw new WsdlError(`there are more than ${documentsMax} documents`);
    }
    this.#seen.add(place);
    const { root, from } = await this.#read(place);
    this.#seen.add(from);
    if (this.roots.length === 0) requireWsdl(root, place);
    this.roots.push(root);
    for (const location of importsOf(root)) {
      try {
        const imported = this.#resolve(location, from);
        if (!this.#seen.has(imported)) await this.#add(imported);
      } catch (cause) {
        if (!(cause instanceof WsdlError)) throw cause;
        this.failedImports.push(`The import ${location} could not be read: ${cause.message}`);
      }
    }
  }

  /** Reads a document; `from` is where it was in the end. */
  async #read(place: string): Promise<{ readonly root: XmlElement; readonly from: string }> {
    try {
      if (isUrl(place)) return await this.#download(place);
      if (place !== this.place) this.#requireFileBeside(place);
      const bytes = await collect(this.#input ?? createReadStream(place), place);
      return { root: parse(bytes, undefined, place), from: place };
    } catch (cause) {
      if (isUrl(place) && cause instanceof Error && !(cause instanceof WsdlError)) {
        throw new WsdlError(`${place}: ${this.#describeFailure(cause)}`, { cause });
      }
      if (!isSystemError(cause)) throw cause;
      throw new WsdlError(`${describeFileError(place, cause)}.`, { cause });
    }
  }

  /** The place of an import. */
  #resolve(location: string, from: string): string {
    if (isUrl(this.place)) {
      const url = URL.parse(location, from);
      const { hostname } = new URL(this.place);
      if (url?.hostname === hostname && isUrl(url.href)) return url.href;
      throw new WsdlError(
        `it is not on ${hostname}. Request ?singleWsdl, which WCF 4.5 and newer have.`,
      );
    }
    if (this.#input !== undefined) {
      throw new WsdlError("standard input has no folder. Name a file or a URL.");
    }
    if (!/^[a-z][a-z0-9+.-]*:|^[?]/i.test(location)) return join(dirname(from), location);
    throw new WsdlError(
      "it is not a file beside it. Name the URL of the WSDL, or save the one document of ?singleWsdl.",
    );
  }

  /** Keeps an import from naming any file of the person who runs this, and from waiting for a FIFO. */
  #requireFileBeside(place: string): void {
    if (relative(dirname(realpathSync(this.place)), realpathSync(place)).startsWith("..")) {
      throw new WsdlError(`it is not in the folder of ${this.place}. Copy it there.`);
    }
    if (!statSync(place).isFile()) throw new WsdlError(`${place} is not a file.`);
  }

  async #download(url: string): Promise<{ readonly root: XmlElement; readonly from: string }> {
    const { username, password } = new URL(url);
    if (username + password !== "") {
      throw new WsdlError(`A URL with a password is not read. ${saveIt}`);
    }
    let place = url;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await fetch(place, { signal: this.#timeout, redirect: "manual" });
      const { status, headers, body } = response;
      const location = headers.get("location");
      if (status === 200) {
        const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers.get("content-type") ?? "")?.[1];
        return { root: parse(await collect(body ?? [], place), charset, place), from: place };
      }
      await body?.cancel();
      if (status < 300 || status >= 400 || location === null) {
        throw new WsdlError(describeStatus(place, status, headers.get("www-authenticate")));
      }
      // The WSDL itself may have moved to another host.
      place = url === this.place ? new URL(location, place).href : this.#resolve(location, place);
    }
    throw new WsdlError(`${url} redirects more than ${redirectsMax} times. ${saveIt}`);
  }

  #describeFailure(cause: Error): string {
    return this.#timeout.aborted
      ? `no complete response within ${this.#timeoutMs / 1_000} s. Set --timeout, or save the WSDL with a browser and name the file.`
      : `${describeConnectionError(cause)}\n${saveIt}`;
  }
}

/** The root of one document. */
export function parse(bytes: Uint8Array, charset: string | undefined, name: string): XmlElement {
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
      { cause },
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
    throw new WsdlError(`${name} cannot be read: ${cause.message}. Save it as UTF-8.`, { cause });
  }
}

function requireWsdl({ name: found, namespace }: XmlElement, name: string): void {
  if (found === "definitions" && namespace === "http://schemas.xmlsoap.org/wsdl/") return;
  throw new WsdlError(
    `${name} is not a WSDL 1.1: its root element is ${found}, not definitions.\nAdd ?wsdl to the address of the service.`,
  );
}

/** Locations of imports, of a WSDL or its schemas. */
function importsOf(element: XmlElement): readonly string[] {
  const isImport = /^(?:import|include|redefine)$/.test(element.name);
  const location =
    attributeOf(element, "", "location") ?? attributeOf(element, "", "schemaLocation") ?? "";
  const own = isImport && location !== "" ? [location] : [];
  return [...own, ...element.children.flatMap(importsOf)];
}

/** Whether a place is an address that can be requested, not a file. */
function isUrl(place: string): boolean {
  return /^https?:/i.test(place);
}

function describeStatus(place: string, status: number, challenge: string | null): string {
  if (status === 404) return `${place} has status 404. Check the path of the address.`;
  if (status !== 401) return `${place} has status ${status}, not 200. ${saveIt}`;
  const scheme = /^\w+/.exec(challenge ?? "")?.[0];
  const how = scheme === undefined ? "" : ` (${scheme})`;
  return `${place} asks for a log-in${how}, which this command does not do.\n${saveIt}`;
}

async function collect(
  bytes: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  name: string,
): Promise<Uint8Array> {
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
