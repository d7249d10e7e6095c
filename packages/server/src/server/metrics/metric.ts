type Labels = Readonly<Record<string, string>>;

/** A metric that is read when Prometheus asks for it. */
export interface Metric {
  readonly name: string;
  /** A sentence or two for people; part of the exposition. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** One value, or one for each set of labels. */
  read(): Values | Promise<Values>;
}

type Values = number | readonly Sample[];

/** A line of the exposition. */
interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Name with the suffix of a histogram. */
  readonly metricName?: string;
}

/** A metric that only grows while the process lives. */
export function counter(name: string, help: string, read: Metric["read"]): Metric {
  return { name, help, type: "counter", read };
}

/** A metric that goes up and down. */
export function gauge(name: string, help: string, read: Metric["read"]): Metric {
  return { name, help, type: "gauge", read };
}

/** Samples of one label. */
export function byLabel(name: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [name]: key }, value }));
}

/** Counts by labels, all of them from the start: a counter whose first sample is 1 has no rate. */
export class LabelledCounter {
  readonly samples: { readonly labels: Labels; value: number }[] = [{ labels: {}, value: 0 }];

  constructor(labels: Readonly<Record<string, readonly string[]>>) {
    for (const [name, values] of Object.entries(labels)) {
      this.samples = this.samples.flatMap(({ labels: others }) =>
        values.map((value) => ({ labels: { ...others, [name]: value }, value: 0 })),
      );
    }
  }

  /** Counts one more of these labels; unknown ones count nowhere. */
  add(labels: Labels): void {
    const names = Object.keys(labels);
    const found = this.samples.find((one) =>
      names.every((name) => one.labels[name] === labels[name]),
    );
    if (found !== undefined) found.value += 1;
  }
}

/** Counts by upper bound. Observing costs a few additions and allocates nothing. */
export class Histogram {
  /** Upper bounds, inclusive and ascending. */
  readonly bounds: readonly number[];
  /** Observations of each bucket alone, not cumulative; the last is for those beyond all bounds. */
  readonly buckets: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] ?? 0)) i += 1;
    this.buckets[i] = (this.buckets[i] ?? 0) + 1;
    this.sum += value;
  }
}

/** A histogram with its labels. */
interface LabelledHistogram {
  readonly labels: Labels;
  readonly histogram: Histogram;
}

/** @param unit what observations are divided by: 1,000 for milliseconds that become seconds. */
export function histogram(
  name: string,
  help: string,
  { unit, list }: { readonly unit: number; list(): readonly LabelledHistogram[] },
): Metric {
  const read = () => list().flatMap((one) => samplesOf(name, unit, one));
  return { name, help, type: "histogram", read };
}

function samplesOf(name: string, unit: number, { labels, histogram: one }: LabelledHistogram) {
  let count = 0;
  const samples: Sample[] = Array.from(one.buckets, (observed, i) => {
    const bound = one.bounds[i];
    count += observed;
    const le = bound === undefined ? "+Inf" : String(bound / unit);
    return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
  });
  samples.push({ labels, value: one.sum / unit, metricName: `${name}_sum` });
  samples.push({ labels, value: count, metricName: `${name}_count` });
  return samples;
}

/**
 * Reads metrics, one after the other in their order, in the text format of Prometheus 0.0.4. The
 * package is loaded with the first reading: a server that nothing monitors starts without it.
 */
export async function renderMetrics(metrics: readonly Metric[]): Promise<string> {
  const families: object[] = [];
  for (const { read, ...metric } of metrics) {
    const found = await read();
    const values = typeof found === "number" ? [{ labels: {}, value: found }] : found;
    // The package joins several processes, of which there is one.
    families.push({ ...metric, aggregator: "first", values });
  }
  const { Registry } = await import("@prometheus-io/client");
  // The package declares types as numbers, and has names.
  return Registry.aggregate([families] as never).metrics();
}
