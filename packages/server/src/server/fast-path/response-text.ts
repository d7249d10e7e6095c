import type { HttpResponse } from "../../bindings/http.ts";
import {
  type ConnectionHeaders,
  closing,
  commonHeadersFor,
  headersOf,
  names,
  policyFor,
  renderHeaders,
} from "../http/response.ts";

// Not imported, as in `http/node-adapter.ts`.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

const beforeId = `\r\n${names.id}: `;

/** Header lists as text; a binding uses one list for all of its responses. */
const rendered = new WeakMap<
  readonly string[],
  { readonly first: string; readonly common: string; readonly policy: string }
>();

/**
 * Renders a whole response, in the headers and the order of node:http.
 *
 * @param keepAlive value of Keep-Alive; undefined when the caller asked to close the connection.
 */
export function responseText(
  response: HttpResponse,
  connection: ConnectionHeaders,
  keepAlive: string | undefined,
): { readonly text: string; readonly encoding: "latin1" | "utf8" } {
  const { status, headers, body, policy } = response;
  const length = Buffer.byteLength(body);
  let head: string;
  if (connection.closes || status === 204 || status === 304 || status === 503) {
    head = renderHeaders(headersOf(response, connection));
  } else {
    // The same lines, of as few pieces as possible.
    let known = rendered.get(headers);
    if (known === undefined) {
      known = {
        first: `${renderHeaders(headers)}${names.length}: `,
        common: `${renderHeaders(commonHeadersFor(headers))}${names.policy}: `,
        policy: policyFor(headers),
      };
      rendered.set(headers, known);
    }
    head = `${known.first}${length}\r\n${known.common}${policy ?? known.policy}${beforeId}${connection.id}\r\n`;
  }
  const kept =
    keepAlive === undefined
      ? renderHeaders(closing)
      : `Connection: keep-alive\r\nKeep-Alive: ${keepAlive}\r\n`;
  const end = connection.closes ? "\r\n" : `${kept}\r\n`;
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}Date: ${dateNow()}\r\n${end}${body}`;
  // A body of as many bytes as characters is ASCII, as the headers are; Latin-1 only copies it.
  return { text, encoding: length === body.length ? "latin1" : "utf8" };
}

let dateSecond = 0;
let dateText = "";

/** The Date header, rendered once a second. */
function dateNow(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1_000).toUTCString();
  }
  return dateText;
}
