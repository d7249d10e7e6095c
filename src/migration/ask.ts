import { headerOf } from "../bindings/http.ts";
import type { WholeResponse } from "./compare/whole-response.ts";
import { bytesOf, type Exchange } from "./exchange.ts";
import { readBody } from "./listener.ts";
import type { RequestHead } from "./recognize.ts";
import { redacted } from "./redact-exchange.ts";
import type { Upstream } from "./upstream.ts";

/** Longest response that is read, in bytes. */
const responseBytesMax = 4_194_304;

type Sendable = Pick<Exchange, "request">;

/** Sends the request of an exchange to our server; resolves to an error where no response comes. */
export type Ask = (exchange: Exchange, signal?: AbortSignal) => Promise<WholeResponse | Error>;

/** The request of an exchange as it can be sent again: without secrets that were taken out. */
export function requestOf({ request }: Sendable): { head: RequestHead; body: Buffer } {
  const { method, target } = request;
  const body = bytesOf(request.body) ?? Buffer.alloc(0);
  const headers: string[] = [];
  for (let i = 0; i < request.headers.length; i += 2) {
    const [name = "", value = ""] = request.headers.slice(i, i + 2);
    const isFraming = /^(?:content-length|transfer-encoding|expect)$/i.test(name);
    if (!isFraming && !value.includes(redacted)) headers.push(name, value);
  }
  // A call of HTTP/1.0 may have had none.
  if (headerOf({ headers }, "host") === undefined) headers.push("Host", "localhost");
  if (body.length > 0) headers.push("Content-Length", String(body.length));
  return { head: { method, target, headers }, body };
}

/** Sends the request of an exchange to a server; resolves to an error where no response comes. */
export async function ask(
  server: Upstream,
  exchange: Sendable,
  signal?: AbortSignal,
): Promise<WholeResponse | Error> {
  const { head, body } = requestOf(exchange);
  try {
    const response = await server.send(head, body, signal);
    const bytes = await readBody(response, responseBytesMax);
    if (!Buffer.isBuffer(bytes)) {
      bytes.destroy();
      return new Error("The response is longer than 4 MiB.");
    }
    return { status: response.statusCode ?? 0, headers: response.rawHeaders, body: bytes };
  } catch (cause) {
    return server.toError(cause);
  }
}
