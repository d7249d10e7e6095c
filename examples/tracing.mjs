// Sends the server's spans to an OpenTelemetry collector over OTLP/HTTP (docs/operating.md). Set
// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and OTEL_SERVICE_NAME in the environment.
import { setTimeout } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/** Longest wait for a collector to take the last spans, in milliseconds: it must not block exit. */
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
  // The last request has finished by then, unlike on a signal. The exit code is the server's.
  process.once("beforeExit", async () => {
    await Promise.race([provider.shutdown().catch(() => {}), setTimeout(lastSpansMs)]);
    process.exit();
  });
}
