import { createReadStream, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { describeTlsError } from "../connection-error.ts";
import { WsdlError } from "./wsdl-error.ts";

/** Longest document, in bytes as they are after gzip: 100 times that of a service of the contract. */
const documentBytesMax = 4_194_304;
const redirectsMax = 5;

/** The bytes of a document, and where they came from in the end. */
export interface ReadDocument {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
  readonly place: string;
}

/** Where a WSDL is read from. A place is a URL or the path of a file. */
export interface WsdlSource {
  /** For messages. */
  readonly name: string;
  readonly place: string;
  /** @throws {WsdlError} when nothing can be read there. */
  read(place: string): Promise<ReadDocument>;
  /**
   * The place of an import.
   *
   * @throws {WsdlError} for an import that is not followed.
   */
  resolve(location: string, from: string): string;
}

/** Standard input, which has no imports beside it. */
export function inputSource(input: AsyncIterable<Uint8Array | string>): WsdlSource {
  const name = "standard input";
  return {
    name,
    place: "-",
    read: async () => ({ bytes: await collect(input, name), charset: undefined, place: "-" }),
    resolve: () => {
      throw new WsdlError("standard input has no folder. Name a file or a URL.");
    },
  };
}

/** A file, whose imports are files in its folder or below. */
export function fileSource(path: string): WsdlSource {
  return {
    name: path,
    place: path,
    read: async (place) => {
      try {
        if (place !== path) requireFileBeside(path, place);
        const bytes = await collect(createReadStream(place), place);
        return { bytes, charset: undefined, place };
      } catch (cause) {
        if (!isSystemError(cause)) throw cause;
        throw new WsdlError(`${describeFileError(place, cause)}.`, cause);
      }
    },
    resolve: (location, from) => {
      if (/^[/]|^[a-z][a-z0-9+.-]+:|^[?]|\\/i.test(location)) {
        throw new WsdlError(
          "it is not a file beside it. Name the URL of the WSDL, or save the one document of ?singleWsdl.",
        );
      }
      return join(dirname(from), location);
    },
  };
}

/** Keeps an import from naming any file of the person who runs this, and from waiting for a FIFO. */
function requireFileBeside(path: string, place: string): void {
  if (relative(dirname(realpathSync(path)), realpathSync(place)).startsWith("..")) {
    throw new WsdlError(`it is not in the folder of ${path}. Copy it there.`);
  }
  if (!statSync(place).isFile()) throw new WsdlError(`${place} is not a file.`);
}

/** A URL, whose imports are on the same host. All documents together have `timeoutMs`. */
export function urlSource(url: string, timeoutMs: number): WsdlSource {
  const first = new URL(url);
  if (first.username !== "" || first.password !== "") {
    throw new WsdlError(`A URL with a password is not read. ${saveIt}`);
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const follow = (location: string, from: string) => {
    const target = new URL(location, from);
    if (/^https?:$/.test(target.protocol) && target.hostname === first.hostname) return target.href;
    throw new WsdlError(
      `it is not on ${first.hostname}. Request ?singleWsdl, which WCF 4.5 and newer have.`,
    );
  };
  return {
    name: first.href,
    place: first.href,
    read: async (place) => {
      try {
        return await download(place, signal, (location, from) =>
          place === first.href ? new URL(location, from).href : follow(location, from),
        );
      } catch (cause) {
        if (cause instanceof WsdlError || !(cause instanceof Error)) throw cause;
        throw new WsdlError(`${place}: ${describeFailure(cause, signal, timeoutMs)}`, cause);
      }
    },
    resolve: follow,
  };
}

async function download(
  url: string,
  signal: AbortSignal,
  redirectTo: (location: string, from: string) => string,
): Promise<ReadDocument> {
  let place = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await fetch(place, { signal, redirect: "manual" });
    const { status, headers, body } = response;
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      await body?.cancel();
      place = redirectTo(location, place);
      continue;
    }
    if (status !== 200) {
      await body?.cancel();
      throw new WsdlError(describeStatus(place, status, headers.get("www-authenticate")));
    }
    const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers.get("content-type") ?? "")?.[1];
    return { bytes: await collect(body ?? [], place), charset, place };
  }
  throw new WsdlError(`${url} redirects more than ${redirectsMax} times. ${saveIt}`);
}

const saveIt = "Save the WSDL with a browser, and name the file.";

function describeStatus(place: string, status: number, challenge: string | null): string {
  if (status !== 401) return `${place} has status ${status}, not 200. ${saveIt}`;
  const scheme = /^\w+/.exec(challenge ?? "")?.[0];
  const how = scheme === undefined ? "" : ` (${scheme})`;
  return `${place} asks for a log-in${how}, which this command does not do.\n${saveIt}`;
}

function describeFailure(failure: Error, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) {
    return `no complete response within ${timeoutMs / 1_000} s. Set --timeout, or save the WSDL with a browser and name the file.`;
  }
  const cause = failure.cause instanceof Error ? failure.cause : failure;
  const code = "code" in cause ? String(cause.code) : "";
  const { message } = cause;
  const tls = describeTlsError(code, message);
  if (tls !== undefined) return `${tls.problem}\n${saveIt} ${tls.remedy}`;
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the host name is not known here. Check the address.";
    case "ECONNREFUSED":
      return "nothing responds there. Check the address, and whether the server runs.";
    default:
      return `the response could not be read (${message || code}). ${saveIt}`;
  }
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
