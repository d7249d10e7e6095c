import { type HttpResponse, headerOf, streamType } from "@wfh/server/bindings/http.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { textResponse } from "@wfh/server/server/http/response.ts";
import { int64Max } from "@wfh/server/store/sql.ts";
import type { Access, SignedIn } from "../access/access.ts";
import type { Operator } from "../access/operator.ts";
import { type LiveFeed, LiveView } from "./live-feed.ts";

/** Time between two looks at the rights of an operator, in milliseconds. */
const checkMs = 800;
/** Longest silence, in milliseconds: some proxies close a connection that is silent for 30 s. */
const silenceMs = 15_000;

const headers = [
  "Content-Type",
  streamType,
  "Cache-Control",
  "no-store",
  // nginx would collect what it gets.
  "X-Accel-Buffering",
  "no",
];

/** Parts of live events. */
export interface LiveEventsDeps {
  readonly access: Pick<Access, "findOperator" | "checkForm">;
  readonly feed: LiveFeed;
  /** Waits, in milliseconds; rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Sends page requests to operators as they arrive: server-sent events of rows for a table. */
export class LiveEvents {
  readonly #deps: LiveEventsDeps;

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps;
  }

  /** Responds with a stream, which continues after the ID that the request names. */
  async respond(request: IncomingRequest, signedIn: SignedIn | null): Promise<HttpResponse> {
    if (signedIn === null) return textResponse(401, "Log in at /operator first.");
    const { operator } = signedIn;
    const asked = new URLSearchParams(request.head.query);
    const form = asked.get("form") ?? "all";
    if (form !== "all") await this.#deps.access.checkForm(request, operator, form);
    const after = headerOf(request.head, "last-event-id") ?? asked.get("after");
    const view = new LiveView(form === "all" ? operator.forms : [form], parseId(after));
    const stream = (signal: AbortSignal) => this.#send(view, { request, operator, signal });
    return { status: 200, headers, body: "", stream };
  }

  async *#send(
    view: LiveView,
    {
      request,
      operator,
      signal,
    }: {
      readonly request: IncomingRequest;
      readonly operator: Operator;
      readonly signal: AbortSignal;
    },
  ): AsyncGenerator<string> {
    const { access, feed, pause } = this.#deps;
    feed.add(view);
    try {
      for (let silentMs = 0; ; silentMs += checkMs) {
        await pause(checkMs, signal);
        const current = await access.findOperator(request, false).catch(() => undefined);
        // The browser asks again, and gets the response to that.
        if (current === undefined || view.hasFailed) return;
        if (current === null || String(current.operator.forms) !== String(operator.forms)) {
          yield "event: ended\ndata:\n\n";
          return;
        }
        const rows = view.take();
        if (rows !== "") {
          yield `id: ${view.position}\nevent: page-requests\ndata: ${rows}\n\n`;
          silentMs = 0;
        } else if (silentMs >= silenceMs) {
          yield ":\n\n";
          silentMs = 0;
        }
      }
    } finally {
      feed.remove(view);
    }
  }
}

/** An ID of the address; undefined for anything else. */
function parseId(text: string | null): bigint | undefined {
  const id = /^\d{1,19}$/.test(text ?? "") ? BigInt(text ?? "") : undefined;
  return id === undefined || id > int64Max ? undefined : id;
}
