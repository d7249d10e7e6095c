import type { Received } from "../../test/server/log-in-calls.ts";

/** A request with what its answer has to be. */
export interface WorkRequest {
  readonly bytes: Uint8Array;
  /** False where its frame may be broken: it has a connection of its own, and any number of answers. */
  readonly isFramed: boolean;
  /** Takes an answer; throws where it is not a right one. */
  check(response: Received): void;
}

/** One kind of requests in the mix. */
export interface Work {
  readonly kind: string;
  readonly perSecond: number;
  /** Requests of this kind on their way at the same time, at most. */
  readonly loops: number;
  /** Whether every request has a new connection; else a lane keeps its own as long as the server does. */
  readonly connects: boolean;
  /** Begins a lane, by its number from 0; what is returned makes its requests, one after the other. */
  open(loop: number): () => WorkRequest;
}
