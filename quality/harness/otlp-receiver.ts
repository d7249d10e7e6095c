import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

type AttributeValue = { readonly stringValue?: string; readonly intValue?: number };

/** A span as it is sent in OTLP, as far as the tests look at it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** 1 INTERNAL, 2 SERVER, 3 CLIENT. */
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: AttributeValue }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** A collector that keeps what it is sent. */
export interface OtlpReceiver {
  /** Bodies of all exports so far. */
  readonly bodies: readonly string[];
  /** Environment of a server that loads examples/tracing.mjs and sends its spans here. */
  readonly environment: Readonly<Record<string, string>>;
  spans(): readonly ReceivedSpan[];
  close(): void;
}

/** Starts a receiver of OTLP/HTTP on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.setHeader("Content-Type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const example = fileURLToPath(new URL("../../examples/tracing.mjs", import.meta.url));
  return {
    bodies,
    environment: {
      NODE_OPTIONS: `--import=${example}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    },
    spans: () =>
      bodies
        .flatMap((body) => (JSON.parse(body) as Export).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
