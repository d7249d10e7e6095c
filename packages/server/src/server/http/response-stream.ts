import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type HttpHead, type HttpResponse, listValues, streamType } from "../../bindings/http.ts";
import { textResponse } from "./response.ts";

/** Most streams that a server has open at once: many times the operators who look at it. */
export const streamsMax = 100;

/** Returns true for a media type, or a list of them, that names the one of streams. */
export function namesStreamType(text: string): boolean {
  return text.toLowerCase().includes(streamType);
}

/** Responses of a server that go on for as long as their callers listen. */
export class OpenStreams {
  readonly #open = new Set<AbortController>();
  #isStopping = false;

  /** Streams that are open now. */
  get count(): number {
    return this.#open.size;
  }

  /** Returns the response in place of a stream that may not begin; undefined where it may. */
  refuse(head: HttpHead): HttpResponse | undefined {
    if (!listValues(head, "accept").some(namesStreamType)) {
      return textResponse(406, `This is a stream: send the header Accept: ${streamType}.`);
    }
    if (this.#isStopping) return textResponse(503, "The server is stopping.");
    if (this.#open.size < streamsMax) return undefined;
    return textResponse(503, `The server has its most streams open, ${streamsMax}.`);
  }

  /** Ends all of them, and lets no more begin: a stop does not wait for those who listen. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#open) stream.abort();
  }

  /**
   * Sends a stream as fast as its caller takes it, and ends the response. A caller that takes
   * nothing is cut by the time limit of its connection. Rejects with an error of the stream itself.
   */
  async send(response: ServerResponse, stream: NonNullable<HttpResponse["stream"]>): Promise<void> {
    const open = new AbortController();
    const { signal } = open;
    const end = () => open.abort();
    // Those who listen keep their side open, so that a caller that ends it has gone.
    response.socket?.once("end", end);
    response.once("close", end);
    this.#open.add(open);
    if (this.#isStopping) end();
    response.flushHeaders();
    try {
      for await (const text of stream(signal)) {
        if (signal.aborted) break;
        if (!response.write(text)) await once(response, "drain", { signal });
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      this.#open.delete(open);
      end();
    }
    // The rest of a stream is worth no waiting for a caller that does not take it.
    if (response.writableNeedDrain) response.destroy();
    else if (!response.destroyed) response.end();
  }
}
