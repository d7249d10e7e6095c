import type { IncomingMessage } from "node:http";
import { noBody } from "../bindings/http.ts";
import { Fault } from "../fault.ts";

/**
 * All bytes of a request's body.
 *
 * @param announced value of its Content-Length, if it has one.
 * @throws {Fault} when there are more than `bytesMax`, whether announced or streamed, or when the
 * caller goes away before the end.
 */
export function readBody(
  request: IncomingMessage,
  announced: string | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLarge = () =>
      reject(new Fault("too-large", `The body is longer than the limit of ${bytesMax} bytes.`));
    if (Number(announced ?? 0) > bytesMax) {
      tooLarge();
      return;
    }
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) tooLarge();
      else if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    // Nearly every body is one chunk, which is then used as it is.
    request.on("end", () => resolve(more === undefined ? (first ?? noBody) : Buffer.concat(more)));
    // A caller that goes away is an error of the request, before it is closed.
    request.on("error", (cause) => {
      reject(endedEarly(cause));
    });
  });
}

/** What is to be said of a body whose caller went away before its end. */
export function endedEarly(cause?: unknown): Fault {
  const hint = "the caller went away";
  return new Fault("malformed", "The body ended before it was complete.", { cause, hint });
}
