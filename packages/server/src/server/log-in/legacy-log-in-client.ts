import { compileBinding } from "../../bindings/compile-binding.ts";
import { readMediaType } from "../../bindings/http.ts";
import { decodeXml } from "../../codec/decode-text.ts";
import { escapeText } from "../../codec/xml/escape.ts";
import { createXmlReader, type XmlElement } from "../../codec/xml/reader.ts";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { describeConnectionError } from "../../lib/connection-error.ts";

/** Time for which an old server that failed is not asked again, in milliseconds. */
const restMs = 10_000;
/** Log-ins that are asked for at the same time; further ones are refused. */
const atOnceMax = 8;
/** Longest response, in bytes: many times that of LogInUser. */
const responseBytesMax = 65_536;

/** Options of a client of an old server's LogInUser. */
export interface LegacyLogInOptions {
  /** Address of its service, of WCF or ASMX. */
  readonly url: string;
  /** Element namespace of its service, which is that of ours. */
  readonly namespace: string;
  /**
   * @param end `skipped`: the old server has just failed, is busy, or cannot be sent the text.
   * @param reason for operators, where it failed; says nothing of the log-in.
   */
  readonly onEnd: (end: "accepted" | "refused" | "failed" | "skipped", reason?: string) => void;
  /** Time for a whole response, in milliseconds: a visitor waits for it. */
  readonly responseMs?: number;
}

/**
 * Makes a function that asks LogInUser of an old server about a password, over SOAP 1.1 (decision
 * 0084). It never rejects: without a clear response it is false. Keeps and logs nothing of it.
 */
export function createLegacyLogIn(options: LegacyLogInOptions) {
  const { url, namespace, onEnd, responseMs = 3_000 } = options;
  const isAsmx = /\.asmx$/i.test(new URL(url).pathname);
  const contract = isAsmx ? ({ ...ajaxEndpoint, stack: "asmx" } as const) : ajaxEndpoint;
  const request = compileBinding.soap11({ contract, namespace }).describeRequest("LogInUser");
  let underWay = 0;
  let restsUntilMs = 0;
  return async (userName: string, password: string): Promise<boolean> => {
    const isResting = performance.now() < restsUntilMs;
    // XML cannot carry them, and another password is not to be tried.
    const isUnsendable = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u.test(userName + password);
    if (isResting || isUnsendable || underWay >= atOnceMax) {
      onEnd("skipped");
      return false;
    }
    const values: Record<keyof typeof ajaxEndpoint.operations.LogInUser.input, string> = {
      userName,
      passWord: password,
    };
    const parts = Object.entries(values).map(([name, text]) => {
      return `<${name}>${escapeText(text)}</${name}>`;
    });
    underWay += 1;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: request.headers,
        redirect: "manual",
        body: request.before + parts.join("") + request.after,
        signal: AbortSignal.timeout(responseMs),
      });
      const isRight = await readSuccess(response);
      onEnd(isRight ? "accepted" : "refused");
      return isRight;
    } catch (cause) {
      restsUntilMs = performance.now() + restMs;
      const isLate = cause instanceof DOMException;
      const reason = isLate ? `no response within ${responseMs / 1_000} s.` : undefined;
      onEnd("failed", reason ?? describeConnectionError(cause));
      return false;
    } finally {
      underWay -= 1;
    }
  };
}

/** @throws {Error} for a response that says neither yes nor no, without repeating it. */
async function readSuccess({ status, headers, body }: Response): Promise<boolean> {
  if (status !== 200) {
    await body?.cancel();
    const isRedirect = Math.floor(status / 100) === 3;
    const advice = isRedirect ? ", a redirect: set the address of the service itself" : "";
    throw new Error(`status ${status}${advice}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > responseBytesMax) throw new RangeError("the response is too long");
    chunks.push(chunk);
  }
  const { charset } = readMediaType(headers.get("content-type") ?? "");
  const text = findSuccess(Buffer.concat(chunks), charset)?.text.trim() ?? "";
  if (!/^(?:true|false|0|1)$/.test(text)) throw new Error("the response is not one of LogInUser");
  return text === "true" || text === "1";
}

function findSuccess(body: Buffer, charset: string | undefined): XmlElement | undefined {
  try {
    let element: XmlElement | undefined = createXmlReader()(decodeXml(body, charset));
    for (const name of ["Body", "LogInUserResponse", "LogInUserResult", "Success"]) {
      element = element?.children.find((child) => child.name === name);
    }
    return element;
  } catch {
    return undefined;
  }
}
