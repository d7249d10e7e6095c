import { type Aggregator, Counter, Gauge, type Registry } from "prom-client";

/** A figure that somebody else keeps, read when it is asked for. */
export interface MetricSource {
  /** A sentence or two for people, as it stands in the answer. */
  readonly help: string;
  /** What figures of several processes make together; their sum where it is not given. */
  readonly aggregator?: Aggregator;
  read(): number;
}

/** Registers a figure that may go up and down. */
export function registerGauge(registry: Registry, name: string, reading: MetricSource): void {
  new Gauge({
    name,
    help: reading.help,
    aggregator: reading.aggregator ?? "sum",
    registers: [registry],
    collect() {
      this.set(reading.read());
    },
  });
}

/** Registers a figure that only grows while the process lives. */
export function registerCounter(registry: Registry, name: string, reading: MetricSource): void {
  new Counter({
    name,
    help: reading.help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(reading.read());
    },
  });
}
