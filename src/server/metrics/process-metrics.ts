import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";
import { registerCounter, registerGauge } from "./metric-reading.ts";

/** How often the event loop is held against the clock, in milliseconds: lag is told as this and what comes on top. */
const resolutionMs = 10;
const nanoseconds = 1e9;

/**
 * Registers what the process needs: processor, memory, and how late its event loop is, under the names that other programs of
 * Node.js have them by. Not all that the package would collect: watching garbage collection costs a tenth of a millisecond for
 * each (decision 0040).
 *
 * @param worker the number of the process where several share a port, 0 for the first one.
 */
export function registerProcessMetrics(registry: Registry, worker?: number): void {
  registerLoop(registry);
  registerBusyTime(registry, worker === undefined ? {} : { worker: String(worker) });
  registerCounter(registry, "process_cpu_seconds_total", {
    help: "Processor time of all threads, in seconds.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  const startedS = Date.now() / 1_000 - process.uptime();
  registerGauge(registry, "process_start_time_seconds", {
    help: "When the process started, in seconds since 1970 UTC.",
    aggregator: "min",
    read: () => startedS,
  });
  registerGauge(registry, "process_resident_memory_bytes", {
    help: "Memory that the process has, in bytes.",
    read: () => process.memoryUsage.rss(),
  });
  registerGauge(registry, "nodejs_heap_size_used_bytes", {
    help: "Memory of JavaScript objects, in bytes.",
    read: () => process.memoryUsage().heapUsed,
  });
  registerGauge(registry, "nodejs_external_memory_bytes", {
    help: "Memory outside of the heap that objects hold, the postal data among it, in bytes.",
    read: () => process.memoryUsage().external,
  });
  new Gauge({
    name: "nodejs_version_info",
    help: "1; the version of Node.js is the label.",
    labelNames: ["version"],
    aggregator: "first",
    registers: [registry],
  }).set({ version: process.version }, 1);
}

/** Registers how late the event loop is. Each reading tells of the time since the one before, whoever asked. */
function registerLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const registers = [registry];
  // The first of them in the answer sets them all.
  new Gauge({
    name: "nodejs_eventloop_lag_p99_seconds",
    help: "Lag of the event loop that 1 of 100 exceeded since the last reading, in seconds; 0.01 of it is the measurement's own.",
    aggregator: "max",
    registers,
    collect() {
      largest.set(delays.max / nanoseconds);
      middle.set(delays.percentile(50) / nanoseconds);
      this.set(delays.percentile(99) / nanoseconds);
      delays.reset();
    },
  });
  const largest = new Gauge({
    name: "nodejs_eventloop_lag_max_seconds",
    help: "Longest lag of the event loop since the last reading, in seconds; 0.01 of it is the measurement's own.",
    aggregator: "max",
    registers,
  });
  const middle = new Gauge({
    name: "nodejs_eventloop_lag_p50_seconds",
    help: "Median lag of the event loop since the last reading, in seconds; 0.01 of it is the measurement's own.",
    aggregator: "average",
    registers,
  });
}

/** Registers how busy the event loop is: of several, each has a line, since each has one core at most. */
function registerBusyTime(registry: Registry, labels: Readonly<Record<string, string>>): void {
  new Counter({
    name: "nodejs_eventloop_busy_seconds_total",
    help: "Time that the event loop was busy, in seconds; its rate is the share of one core that requests can have at most.",
    labelNames: Object.keys(labels),
    registers: [registry],
    collect() {
      this.reset();
      this.inc(labels, performance.eventLoopUtilization().active / 1_000);
    },
  });
}
