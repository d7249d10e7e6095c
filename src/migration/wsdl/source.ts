import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { describeConnectionError } from "../connection-error.ts";

/** Longest document, in bytes as they are after gzip: 100 times that of a service of the contract. */
const documentBytesMax = 4_194_304;
const redirectsMax = 5;
const saveIt = "Save the WSDL with a browser, and name the file.";

/** A WSDL that cannot be read or compared. The message is for people: what is wrong, and how to fix it. */
export class WsdlError extends Error {}

/** The bytes of a document, and where they came from in the end. */
export interface ReadDocument {
  readonly bytes: Uint8Array;
  readonly charset?: string | undefined;
  /** A URL or the path of a file; `standard input`. */
  readonly place: string;
}

/** Reads a WSDL and its imports, which are on the same host, or files in its folder or below. */
export class WsdlSource {
  /** A URL, the path of a file, or `standard input`. */
  readonly place: string;
  readonly #input: AsyncIterable<Uint8Array | string> | undefined;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal;

  /**
   * @param from a URL, the path of a file, or a stream.
   * @param timeoutMs time for all documents of a URL.
   */
  constructor(from: string | AsyncIterable<Uint8Array | string>, timeoutMs: number) {
    const isStream = typeof from !== "string";
    this.place = isStream ? "standard input" : from;
    this.#input = isStream ? from : undefined;
    this.#timeoutMs = timeoutMs;
    this.#signal = AbortSignal.timeout(timeoutMs);
  }

  /** @throws {WsdlError} when nothing can be read there. */
  async read(place: string): Promise<ReadDocument> {
    try {
      if (isUrl(place)) return await this.#download(place);
      if (place !== this.place) this.#requireFileBeside(place);
      return { bytes: await collect(this.#input ?? createReadStream(place), place), place };
    } catch (cause) {
      if (cause instanceof WsdlError || !(cause instanceof Error)) throw cause;
      if (isUrl(place)) throw new WsdlError(`${place}: ${this.#describeFailure(cause)}`, { cause });
      if (!isSystemError(cause)) throw cause;
      throw new WsdlError(`${describeFileError(place, cause)}.`, { cause });
    }
  }

  /**
   * The place of an import.
   *
   * @throws {WsdlError} for an import that is not followed.
   */
  resolve(location: string, from: string): string {
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

  async #download(url: string): Promise<ReadDocument> {
    const { username, password } = new URL(url);
    if (username + password !== "") {
      throw new WsdlError(`A URL with a password is not read. ${saveIt}`);
    }
    let place = url;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await fetch(place, { signal: this.#signal, redirect: "manual" });
      const { status, headers, body } = response;
      const location = headers.get("location");
      if (status === 200) {
        const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers.get("content-type") ?? "")?.[1];
        return { bytes: await collect(body ?? [], place), charset, place };
      }
      await body?.cancel();
      if (status < 300 || status >= 400 || location === null) {
        throw new WsdlError(describeStatus(place, status, headers.get("www-authenticate")));
      }
      // The WSDL itself may have moved to another host.
      place = url === this.place ? new URL(location, place).href : this.resolve(location, place);
    }
    throw new WsdlError(`${url} redirects more than ${redirectsMax} times. ${saveIt}`);
  }

  #describeFailure(cause: Error): string {
    return this.#signal.aborted
      ? `no complete response within ${this.#timeoutMs / 1_000} s. Set --timeout, or save the WSDL with a browser and name the file.`
      : `${describeConnectionError(cause)}\n${saveIt}`;
  }
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
    const buffer = Buffer.from(chunk);
    length += buffer.length;
    if (length > documentBytesMax) {
      throw new WsdlError(
        `${name} is longer than ${documentBytesMax / 1_048_576} MiB, the limit for a WSDL. Check that it is the WSDL.`,
      );
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}
