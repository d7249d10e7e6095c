// Sends the spans of the server to an OpenTelemetry collector, over OTLP/HTTP. The environment sets where to, what part of all
// traces and under which name: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME (docs/operating.md).
import { setTimeout } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/** Longest wait for a collector to take the last spans, in milliseconds: the end of a server must not depend on it. */
const lastSpansMs = 2_000;

// The thread of a SQLite database loads this file too, but has no spans.
if (isMainThread) {
  const [{ OTLPTraceExporter }, resources, { BatchSpanProcessor, NodeTracerProvider }] =
    await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace-node"),
    ]);
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "web-forms-helper" }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  // The server has finished its last request by then; on a signal it has not. The exit code stays the server's.
  process.once("beforeExit", async () => {
    await Promise.race([provider.shutdown().catch(() => {}), setTimeout(lastSpansMs)]);
    process.exit();
  });
}
