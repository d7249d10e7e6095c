import { once } from "node:events";
import { open } from "node:fs/promises";
import { get as getHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { get as getHttps } from "node:https";
import { dirname } from "node:path";
import { describeConnectionError } from "@wfh/server/lib/connection-error.ts";
import { describeFileError } from "@wfh/server/lib/file-error.ts";
import { RowFileError } from "./row-file-error.ts";

/** Validators of a file's version, sent back to a server so that it can respond "not modified". */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Options of a download. */
export interface DownloadOptions {
  /** Of the version that is there; without them the file is always downloaded. */
  readonly validators?: Validators | undefined;
  readonly userAgent: string;
  /** Ends the download with its reason. */
  readonly signal: AbortSignal;
  /** Called often, with the bytes so far, and of how many, 0 where the server does not say. */
  readonly onBytes: (bytes: number, of: number) => void;
  /** Longest time without a byte, in milliseconds. */
  readonly idleMsMax?: number;
}

/** Longest whole download, in milliseconds: the largest country takes five minutes at 10 KB/s. */
const totalMsMax = 15 * 60_000;
/** Largest file, in bytes: twenty times that of the largest country. */
const bytesMax = 64 * 2 ** 20;
const redirectsMax = 5;
/** Longest validator that is kept, in characters; those of servers have some 30. */
const validatorLengthMax = 256;
const redirectStatuses = [301, 302, 303, 307, 308];

/**
 * Downloads a zip into a new file. Follows redirects that keep http or https.
 *
 * @returns validators of the download; undefined when the given ones are still valid.
 * @throws {RowFileError} when it cannot be downloaded whole, or is no zip.
 */
export async function downloadZip(
  address: string,
  path: string,
  options: DownloadOptions,
): Promise<Validators | undefined> {
  const { idleMsMax = 30_000 } = options;
  const idle = new AbortController();
  const timer = setTimeout(
    () => idle.abort(new RowFileError(address, `sent nothing for ${seconds(idleMsMax)}: ${later}`)),
    idleMsMax,
  );
  const total = AbortSignal.timeout(totalMsMax);
  const signal = AbortSignal.any([options.signal, idle.signal, total]);
  const onBytes = (bytes: number, of: number) => {
    timer.refresh();
    options.onBytes(bytes, of);
  };
  try {
    const response = await request(address, { headers: toHeaders(options), signal });
    if (response.statusCode === 304 && options.validators !== undefined) return undefined;
    requireFile(response, address);
    await save(response, address, { path, onBytes });
    const { etag, "last-modified": lastModified } = response.headers;
    return { etag: toValidator(etag), lastModified: toValidator(lastModified) };
  } catch (cause) {
    options.signal.throwIfAborted();
    idle.signal.throwIfAborted();
    if (cause instanceof RowFileError) throw cause;
    const reason = total.aborted
      ? `was not complete after ${totalMsMax / 60_000} minutes: ${later}`
      : `cannot be fetched: ${describeConnectionError(cause).replace(/\.$/, "")}`;
    throw new RowFileError(address, reason, { cause });
  } finally {
    clearTimeout(timer);
    // Closes the connection of a response that was not read.
    idle.abort();
  }
}

function toValidator(value: string | undefined): string | null {
  return value !== undefined && value.length <= validatorLengthMax ? value : null;
}

const later = "try again later";

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

function toHeaders({ userAgent, validators }: DownloadOptions): Record<string, string> {
  const { etag = null, lastModified = null } = validators ?? {};
  return {
    "user-agent": userAgent,
    // The length of what is sent is that of the file.
    "accept-encoding": "identity",
    ...(etag !== null && { "if-none-match": etag }),
    ...(lastModified !== null && { "if-modified-since": lastModified }),
  };
}

/** Sends the request, follows redirects. Not fetch(): it retries endlessly if a proxy hangs up. */
async function request(address: string, options: RequestOptions): Promise<IncomingMessage> {
  let url = new URL(address);
  const get = url.protocol === "https:" ? getHttps : getHttp;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const sent = get(url, options);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    // Reading the response fails with the same error.
    sent.on("error", () => {});
    const { statusCode = 0, headers } = response;
    const { location } = headers;
    if (!redirectStatuses.includes(statusCode) || location === undefined) return response;
    response.destroy();
    const next = URL.parse(location, url.href);
    if (next?.protocol !== url.protocol || next.username + next.password !== "") {
      const shown = next === null ? location : `${next.protocol}//${next.host}${next.pathname}`;
      const only = `only ${url.protocol}// is followed, without a user name`;
      throw new RowFileError(address, `redirects to ${shown}: ${only}. Check the address`);
    }
    url = next;
  }
  throw new RowFileError(address, `redirects more than ${redirectsMax} times: check the address`);
}

/** @throws {RowFileError} when the response is not one with the file. */
function requireFile({ statusCode = 0, statusMessage, headers }: IncomingMessage, address: string) {
  if (statusCode === 200) return;
  if (statusCode === 304) {
    const unasked = "the server responds 304 (not modified) although nothing was to compare with";
    throw new RowFileError(address, `was not sent: ${unasked}. Check the mirror or proxy`);
  }
  if (statusCode === 404 || statusCode === 410) {
    const advice = "check the country code, and the address (WFH_GEONAMES_URL)";
    throw new RowFileError(address, `does not exist (${statusCode}): ${advice}`);
  }
  const after = headers["retry-after"];
  const advice = statusCode >= 500 || statusCode === 429 ? later : "check the address";
  const wait = after === undefined ? "" : ` (Retry-After: ${after})`;
  const said = `${statusCode} ${statusMessage ?? ""}`.trim();
  throw new RowFileError(address, `was not sent: the server responds ${said}${wait}: ${advice}`);
}

/** Writes the body to a file, and checks its length and its first bytes. */
async function save(
  response: IncomingMessage,
  address: string,
  { path, onBytes }: { readonly path: string } & Pick<DownloadOptions, "onBytes">,
): Promise<void> {
  const length = Number(response.headers["content-length"] ?? 0);
  let start = Buffer.alloc(0);
  let bytes = 0;
  const file = await open(path, "w");
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        throw new RowFileError(address, `has more than ${bytesMax / 2 ** 20} MiB`);
      }
      if (start.length < 64) start = Buffer.concat([start, chunk.subarray(0, 64)]);
      await file.writeFile(chunk).catch((cause) => {
        const reason = describeFileError(dirname(path), cause);
        const advice = "Set TMPDIR to a folder with more space";
        throw new RowFileError(address, `cannot be stored. ${reason}. ${advice}`, { cause });
      });
      onBytes(bytes, length);
    }
  } finally {
    await file.close();
  }
  if (start.toString("latin1", 0, 2) === "PK") return;
  const found = bytes === 0 ? "is empty" : /^\s*</.test(`${start}`) ? "is a web page" : "is no zip";
  const why = "An error page of a mirror, or the log-in page of a network? Check the address";
  throw new RowFileError(address, `${found}, where a zip is expected. ${why}`);
}
