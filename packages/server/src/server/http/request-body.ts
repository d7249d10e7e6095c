import type { IncomingMessage } from "node:http";
import { emptyBody } from "../../bindings/http.ts";
import { Fault, tooLarge } from "../../fault.ts";

/** Memory that request bodies of a process may take while they arrive (decision 0010). */
export class BodyBudget {
  private free: number;

  constructor(bytesMax: number) {
    this.free = bytesMax;
  }

  /** Reserves bytes; false, and none reserved, when that many are not free. */
  reserve(bytes: number): boolean {
    if (bytes > this.free) return false;
    this.free -= bytes;
    return true;
  }

  release(bytes: number): void {
    this.free += bytes;
  }
}

/** Memory that a piece of a body takes beside its bytes: a caller may send one byte at a time. */
const pieceBytes = 256;

/**
 * Reads the whole body of a request.
 *
 * @param declared value of its Content-Length, if any.
 * @throws {Fault} when it is longer than `bytesMax`, declared or streamed, when too many bodies
 * arrive at once, or when the caller disconnects before the end.
 */
export function readBody(
  request: IncomingMessage,
  declared: string | undefined,
  { bytesMax, budget }: { readonly bytesMax: number; readonly budget: BodyBudget },
): Promise<Uint8Array> {
  const declaredLength = Number(declared ?? Number.NaN);
  if (declaredLength > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] | undefined = [];
    let length = 0;
    let reserved = 0;
    const release = () => {
      budget.release(reserved);
      reserved = 0;
      pieces = undefined;
    };
    const refuse = (fault: Fault) => {
      release();
      reject(fault);
    };
    request.on("data", (piece: Buffer) => {
      // The rest of a refused body is dropped.
      if (pieces === undefined) return;
      length += piece.length;
      const cost = piece.length + pieceBytes;
      // The last piece of a declared body needs its memory only for a moment.
      const isLast = length === declaredLength;
      if (length > bytesMax) refuse(tooLarge(bytesMax));
      else if (!isLast && !budget.reserve(cost)) refuse(tooManyBodies());
      else {
        if (!isLast) reserved += cost;
        pieces.push(piece);
      }
    });
    request.on("end", () => {
      const [first = emptyBody, ...more] = pieces ?? [];
      release();
      // Nearly every body is a single piece, which needs no copy.
      resolve(more.length === 0 ? first : Buffer.concat([first, ...more]));
    });
    // A caller that disconnects is an error of the request, before its close.
    request.on("error", (cause) => refuse(bodyEndedEarly(cause)));
  });
}

function tooManyBodies(): Fault {
  const hint = "request bodies that are still arriving use up WFH_BODIES_BYTES_MAX";
  return new Fault("busy", "Too many requests are arriving, try again later.", { hint });
}

/** The fault of a body whose caller disconnected before its end. */
export function bodyEndedEarly(cause?: unknown): Fault {
  const hint = "the caller disconnected";
  return new Fault("malformed", "The body ended before it was complete.", { cause, hint });
}
