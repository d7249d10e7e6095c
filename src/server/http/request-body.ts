import type { IncomingMessage } from "node:http";
import { noBody } from "../../bindings/http.ts";
import { Fault, tooLarge } from "../../fault.ts";
import type { BodyBudget } from "./body-budget.ts";

/** What a piece of a body takes beside its bytes: a caller may send one byte at a time. */
const pieceBytes = 256;

/** What a body may take. */
export interface BodyLimits {
  readonly bytesMax: number;
  readonly budget: BodyBudget;
}

/**
 * All bytes of a request's body.
 *
 * @param announced value of its Content-Length, if it has one.
 * @throws {Fault} when there are more than `bytesMax`, whether announced or streamed, when too many bodies arrive at once, or when
 * the caller goes away before the end.
 */
export function readBody(
  request: IncomingMessage,
  announced: string | undefined,
  { bytesMax, budget }: BodyLimits,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] | undefined = [];
    let length = 0;
    let taken = 0;
    const letGo = () => {
      budget.release(taken);
      taken = 0;
      pieces = undefined;
    };
    const refuse = (fault: Fault) => {
      letGo();
      reject(fault);
    };
    const announcedLength = Number(announced ?? Number.NaN);
    if (announcedLength > bytesMax) {
      refuse(tooLarge(bytesMax));
      return;
    }
    request.on("data", (piece: Buffer) => {
      // Of a body that was refused, what still arrives is dropped.
      if (pieces === undefined) return;
      length += piece.length;
      const takes = piece.length + pieceBytes;
      if (length > bytesMax) refuse(tooLarge(bytesMax));
      // The piece that completes a body takes its place for a moment only.
      else if (length !== announcedLength && !budget.reserve(takes)) refuse(tooManyBodies());
      else {
        if (length !== announcedLength) taken += takes;
        pieces.push(piece);
      }
    });
    request.on("end", () => {
      const [first = noBody, ...more] = pieces ?? [];
      letGo();
      // Nearly every body is one piece, which is then used as it is.
      resolve(more.length === 0 ? first : Buffer.concat([first, ...more]));
    });
    // A caller that goes away is an error of the request, before it is closed.
    request.on("error", (cause) => refuse(bodyEndedEarly(cause)));
  });
}

function tooManyBodies(): Fault {
  const hint = "request bodies that are still arriving take WFH_BODIES_BYTES_MAX";
  return new Fault("busy", "Too many requests are arriving, try again later.", { hint });
}

/** What is to be said of a body whose caller went away before its end. */
export function bodyEndedEarly(cause?: unknown): Fault {
  const hint = "the caller went away";
  return new Fault("malformed", "The body ended before it was complete.", { cause, hint });
}
