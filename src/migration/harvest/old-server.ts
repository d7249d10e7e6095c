import { setTimeout as pause } from "node:timers/promises";
import { compileBinding } from "../../bindings/compile-binding.ts";
import { headerOf, readMediaType, replaceControls } from "../../bindings/http.ts";
import { decodeXml } from "../../codec/decode-text.ts";
import { createXmlReader } from "../../codec/xml/reader.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import { messageOf } from "../../lib/file-error.ts";
import { fillRequest } from "../../metadata/samples/request.ts";
import { fromXml, type TreeNode } from "../compare/tree.ts";
import { decompress, type WholeResponse } from "../compare/whole-response.ts";
import type { RequestHead } from "../recognize.ts";
import { Upstream } from "../upstream.ts";
import { HarvestError, type OldResponse, toCells } from "./harvested-places.ts";

/** How an old server is asked. */
export interface OldServerOptions {
  /** Its address. */
  readonly from: string;
  readonly binding: "http-get" | "soap11";
  /** Element namespace of its service, which is that of ours. */
  readonly namespace: string;
  /** Requests a second. */
  readonly rate: number;
  /** Time for a whole response, in seconds. */
  readonly timeout: number;
  /** Its responses so far, to which the caller adds those that it gets. */
  readonly byCode: ReadonlyMap<string, OldResponse>;
  readonly signal: AbortSignal;
}

const readXml = createXmlReader();

/** Requests for one code; the pause before each is four times the one before. */
const attemptsMax = 3;
/** Codes that may fail before any has a response. */
const failedCodesMax = 5;
/** Longest pause that an old server may ask for. */
const retryAfterMaxMs = 600_000;
/** Length of the text in which a reason for a failure is looked for. */
const searchedCharacters = 10_000;

const addressAdvice =
  '\nCheck that --from is the address of the .asmx file, and that this machine may call it without a log-in.\nIf HTTP GET is off there, use --binding soap11, or add this to <system.web> in its web.config:\n  <webServices><protocols><add name="HttpGet" /></protocols></webServices>';

/**
 * Asks an old server for codes, one at a time. Yields each with its response, which is an error where the server fails for
 * this code three times, and not for others.
 *
 * @throws {HarvestError} when there is no point in asking for others.
 */
export async function* askForPlaces(codes: readonly string[], options: OldServerOptions) {
  const { from, binding, namespace, rate, timeout, byCode, signal } = options;
  const service = { contract: locationHelper, namespace };
  const description = compileBinding[binding](service).describeRequest("PostalCodeToCityState");
  const { origin, host } = new URL(from);
  const upstream = new Upstream({
    name: "the old server",
    url: new URL(origin),
    silenceMs: timeout * 1_000,
  });
  const intervalMs = 1_000 / rate;
  let dueMs = 0;
  const askOnce = async (head: RequestHead, body: Buffer): Promise<OldResponse> => {
    await pause(Math.max(0, dueMs - performance.now()), undefined, { signal });
    dueMs = performance.now() + intervalMs;
    const late = AbortSignal.timeout(timeout * 1_000);
    const response = await upstream.fetch(head, body, AbortSignal.any([signal, late]));
    signal.throwIfAborted();
    if (late.aborted) return new Error(`no whole response within ${timeout} s; see --timeout`);
    if (response instanceof Error) return response;
    dueMs = Math.max(dueMs, performance.now() + readRetryAfter(response));
    return readResponse(response);
  };
  const askRepeatedly = async (postalCode: string): Promise<OldResponse> => {
    const part = { name: "postalCode", type: "string", text: postalCode } as const;
    const { method, url, headers, body } = fillRequest(description, from, [part]);
    const bytes = Buffer.from(body ?? "");
    const sent = ["Host", host, ...Object.entries(headers).flat()];
    if (bytes.length > 0) sent.push("Content-Length", String(bytes.length));
    const head = { method, target: url.slice(origin.length), headers: sent };
    for (let attempt = 1; ; attempt += 1) {
      const place = await askOnce(head, bytes);
      if (!(place instanceof Error) || attempt === attemptsMax) return place;
      dueMs = Math.max(dueMs, performance.now() + intervalMs * 4 ** attempt);
    }
  };
  let failedCodes = 0;
  const isDown = async ({ message }: Error): Promise<boolean> => {
    // Another code tells a server that fails from one that fails for this code.
    const [known] = [...byCode].find(([, earlier]) => !(earlier instanceof Error)) ?? [];
    if (known !== undefined) return (await askRepeatedly(known)) instanceof Error;
    failedCodes += 1;
    return !message.startsWith("status") || failedCodes === failedCodesMax;
  };
  try {
    for (const code of codes) {
      const response = await askRepeatedly(code);
      if (response instanceof Error && (await isDown(response))) {
        const reason = response.message + adviceFor(response);
        throw new HarvestError(`The old server fails again and again: ${reason}`);
      }
      yield [code, response] as const;
    }
  } finally {
    upstream.close();
  }
}

/** What to do about a response that is no place. */
function adviceFor({ message }: Error): string {
  if (/^status (?:429|503)\b/.test(message)) {
    return "\nIt has too much to do, or is stopped. Ask less often (--rate 1), or later: the same command continues.";
  }
  return message.startsWith("status") ? addressAdvice : "";
}

/**
 * Reads seconds or a date, as milliseconds from now.
 *
 * @throws {HarvestError} where that is too long.
 */
function readRetryAfter(response: WholeResponse): number {
  const value = headerOf(response, "retry-after") ?? "";
  const ms = Number(value) * 1_000 || Date.parse(value) - Date.now() || 0;
  if (ms <= retryAfterMaxMs) return ms;
  const minutes = Math.ceil(ms / 60_000);
  throw new HarvestError(`The old server asks for a pause of ${minutes} minutes. Continue then.`);
}

/** Reads a result; all else is an error that quotes what can be read of it. */
function readResponse(response: WholeResponse): OldResponse {
  const reasons = [`status ${response.status}`];
  const location = headerOf(response, "location");
  if (location !== undefined) reasons.push(`redirects to ${location}`);
  let text = "";
  try {
    text = decodeBody(response);
    if (response.status === 200) return readPlace(fromXml(readXml(text)));
  } catch (cause) {
    reasons.push(messageOf(cause).replace(/\.$/, ""));
  }
  // Of a page, its title and heading; of a fault, its reason.
  const words = text
    .slice(0, searchedCharacters)
    .replace(/<style\b[^<]*<\/style>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (words !== "") reasons.push(`"${words.slice(0, 200)}"`);
  return new Error(replaceControls(reasons.join(", ")));
}

/** The text of a body. A charset is not guessed: a city would come out wrong. @throws {Error} */
function decodeBody(response: WholeResponse): string {
  const bytes = decompress(response);
  if (bytes === undefined) throw new Error("cannot be decompressed");
  return decodeXml(bytes, readMediaType(headerOf(response, "content-type") ?? "").charset);
}

/** Reads the result in a document: its root element, or what an envelope has. */
function readPlace(root: TreeNode): OldResponse {
  let result: TreeNode | undefined = root;
  if (root.name === "Envelope") {
    const [content] = root.children.find(({ name }) => name === "Body")?.children ?? [];
    if (content?.name !== "PostalCodeToCityStateResponse") throw new Error("no result");
    // A null result is left out, or nil.
    result = content.children[0];
  }
  if (result === undefined || result.children.length === 0) return null;
  if (!result.children.some(({ name }) => name === "City" || name === "State")) {
    throw new Error(`not a place: element ${result.name}`);
  }
  const cells = toCells(result);
  // Some servers return an object without values.
  if (cells.city === "") return null;
  if (cells.stateAbbreviation + cells.stateName !== "") return cells;
  throw new Error(`a city without a state: ${cells.city}`);
}
