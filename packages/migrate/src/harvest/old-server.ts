import { setTimeout as pause } from "node:timers/promises";
import { CommandError } from "@wfh/cli/io/exit-codes.ts";
import { compileBinding } from "@wfh/server/bindings/compile-binding.ts";
import { headerOf, replaceControls } from "@wfh/server/bindings/http.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { fillRequest } from "@wfh/server/metadata/samples/request.ts";
import type { TreeNode } from "../compare/tree.ts";
import { decodeBody, type WholeResponse } from "../compare/whole-response.ts";
import { Upstream, UpstreamError } from "../upstream.ts";
import { type OldResponse, toCells } from "./harvested-places.ts";

/** Address and manners of a harvest. */
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
  readonly signal: AbortSignal;
}

/** Requests for one code; the pause before each is four times the one before. */
const attemptsMax = 3;
/** Codes in a row that may fail. */
const failedCodesMax = 5;
/** Longest pause that an old server may ask for. */
const retryAfterMaxMs = 600_000;
/** Length of the text in which a reason for a failure is looked for. */
const searchedCharacters = 10_000;

const addressAdvice =
  '\nCheck that --from is the address of the .asmx file, and that this machine may call it without a log-in.\nIf HTTP GET is off there, use --binding soap11, or add this to <system.web> in its web.config:\n  <webServices><protocols><add name="HttpGet" /></protocols></webServices>';

/**
 * Asks an old server for codes, one at a time; yields each with its response, or its third error.
 *
 * @throws {CommandError} when it fails for several codes in a row, or has not responded at all.
 */
export async function* askForPlaces(codes: readonly string[], options: OldServerOptions) {
  const upstream = new Upstream({
    name: "the old server",
    url: new URL(new URL(options.from).origin),
    silenceMs: options.timeout * 1_000,
  });
  const findPlace = makeFindPlace(upstream, options);
  let failedCodes = 0;
  let hasResponded = false;
  try {
    for (const code of codes) {
      const response = await findPlace(code);
      hasResponded ||= !(response instanceof UpstreamError);
      failedCodes = response instanceof Error ? failedCodes + 1 : 0;
      if (response instanceof Error && (failedCodes === failedCodesMax || !hasResponded)) {
        const reason = response.message + adviceFor(response);
        throw new CommandError(`The old server fails again and again: ${reason}`);
      }
      yield [code, response] as const;
    }
  } finally {
    upstream.close();
  }
}

/** Makes a function that asks for a code up to three times, no faster than it may. */
function makeFindPlace(upstream: Upstream, options: OldServerOptions) {
  const { from, binding, namespace, rate, timeout, signal } = options;
  const service = { contract: locationHelper, namespace };
  const description = compileBinding[binding](service).describeRequest("PostalCodeToCityState");
  /** Earliest time of the next request. */
  let dueMs = 0;
  const postpone = (ms: number) => {
    dueMs = Math.max(dueMs, performance.now() + ms);
  };
  const ask = async (postalCode: string): Promise<OldResponse> => {
    const part = { name: "postalCode", type: "string", text: postalCode } as const;
    const { method, url, headers, body } = fillRequest(description, from, [part]);
    const { host, pathname, search } = new URL(url);
    const bytes = Buffer.from(body ?? "");
    const sent = ["Host", host, ...Object.entries(headers).flat()];
    if (bytes.length > 0) sent.push("Content-Length", String(bytes.length));
    const head = { method, target: pathname + search, headers: sent };
    await pause(Math.max(0, dueMs - performance.now()), undefined, { signal });
    postpone(1_000 / rate);
    const late = AbortSignal.timeout(timeout * 1_000);
    const response = await upstream.fetch(head, bytes, AbortSignal.any([signal, late]));
    signal.throwIfAborted();
    if (late.aborted) {
      return new UpstreamError(`no whole response within ${timeout} s; see --timeout`, 504);
    }
    if (response instanceof Error) return response;
    postpone(readRetryAfter(response));
    return readResponse(response);
  };
  return async (postalCode: string): Promise<OldResponse> => {
    for (let attempt = 1; ; attempt += 1) {
      const place = await ask(postalCode);
      if (!(place instanceof Error) || attempt === attemptsMax) return place;
      postpone((4 ** attempt * 1_000) / rate);
    }
  };
}

/** Advice for a response that is no place. */
function adviceFor({ message }: Error): string {
  if (/^status (?:429|503)\b/.test(message)) {
    return "\nIt has too much to do, or is stopped. Ask less often (--rate 1), or later: the same command continues.";
  }
  return message.startsWith("status") ? addressAdvice : "";
}

/**
 * Reads seconds or a date, as milliseconds from now.
 *
 * @throws {CommandError} where that is too long.
 */
function readRetryAfter(response: WholeResponse): number {
  const value = headerOf(response, "retry-after") ?? "";
  const ms = Number(value) * 1_000 || Date.parse(value) - Date.now() || 0;
  if (ms <= retryAfterMaxMs) return ms;
  const minutes = Math.ceil(ms / 60_000);
  throw new CommandError(`The old server asks for a pause of ${minutes} minutes. Continue then.`);
}

/** Reads a result; all else is an error that quotes what can be read of it. */
function readResponse(response: WholeResponse): OldResponse {
  const { form, tree, text } = decodeBody(response);
  const reasons = [`status ${response.status}`];
  const location = headerOf(response, "location");
  if (location !== undefined) reasons.push(`redirects to ${location}`);
  try {
    if (response.status === 200 && tree !== undefined) return readPlace(tree);
    if (response.status === 200) reasons.push(`not a place: ${form}`);
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
