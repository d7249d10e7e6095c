import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { counter, gauge, type Metric } from "./metric.ts";

/** Resolution of the lag of the event loop, in milliseconds; part of every lag. */
const resolutionMs = 10;
const nanoseconds = 1e9;

/**
 * Processor, memory and event loop of this process, under the names of the default metrics of
 * @prometheus-io/client. Those are not used: they watch garbage collection, which costs a look-up
 * 15 % (decision 0040).
 */
export function processMetrics(): readonly Metric[] {
  const busyS = () => performance.eventLoopUtilization().active / 1_000;
  const startedS = Date.now() / 1_000 - process.uptime();
  const cpuS = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  const version = [{ labels: { version: process.version }, value: 1 }];
  return [
    ...eventLoopLag(),
    counter("nodejs_eventloop_busy_seconds_total", "Time that the event loop was busy.", busyS),
    counter("process_cpu_seconds_total", "Processor time of all threads.", cpuS),
    gauge("process_start_time_seconds", "Start, in seconds since 1970 UTC.", () => startedS),
    gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    gauge(
      "nodejs_heap_size_used_bytes",
      "Memory of JavaScript objects.",
      () => process.memoryUsage().heapUsed,
    ),
    gauge(
      "nodejs_external_memory_bytes",
      "Memory outside of the heap that objects hold, postal data included.",
      () => process.memoryUsage().external,
    ),
    gauge("nodejs_version_info", "1, with the version of Node.js.", () => version),
  ];
}

/** Lag of the event loop since the reading before, by any reader. */
function eventLoopLag(): readonly Metric[] {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let maxS = 0;
  let medianS = 0;
  const suffix =
    "lag of the event loop since the last reading; 0.01 s of it is the measurement's own.";
  return [
    gauge(
      "nodejs_eventloop_lag_p99_seconds",
      `99th percentile of the ${suffix}`,
      // The first of the three in the exposition reads all of them.
      () => {
        const p99S = delays.percentile(99) / nanoseconds;
        maxS = delays.max / nanoseconds;
        medianS = delays.percentile(50) / nanoseconds;
        delays.reset();
        return p99S;
      },
    ),
    gauge("nodejs_eventloop_lag_max_seconds", `Longest ${suffix}`, () => maxS),
    gauge("nodejs_eventloop_lag_p50_seconds", `Median ${suffix}`, () => medianS),
  ];
}
