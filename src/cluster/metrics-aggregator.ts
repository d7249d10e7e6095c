import { aggregate, type MetricFamily, render } from "../server/metrics/metric.ts";

/** Longest wait for the metrics of a worker, in milliseconds: it needs a few, and Prometheus gives up after 10 s. */
const timeoutMs = 1_000;

/**
 * Joins the metrics of all workers. What a worker had counted at its last reading stays in the sums when it is gone, so that no
 * total falls. `AggregatorRegistry.clusterMetrics()` would lose it, and fails while a worker starts or hangs (decision 0053).
 */
export class MetricsAggregator<Worker> {
  readonly #last = new Map<Worker, readonly MetricFamily[]>();
  readonly #pending = new Map<Worker, (families?: readonly MetricFamily[]) => void>();
  #departed: Promise<readonly MetricFamily[]> = Promise.resolve([]);
  #silent = 0;

  /** Workers that did not respond to the last reading. */
  get silent(): number {
    return this.#silent;
  }

  /** Takes the response of a worker. */
  receive(worker: Worker, families: readonly MetricFamily[]): void {
    this.#last.set(worker, families);
    this.#pending.get(worker)?.(families);
  }

  /** A worker has ended. */
  remove(worker: Worker): void {
    const counted = withoutGauges(this.#last.get(worker) ?? []);
    this.#last.delete(worker);
    // What cannot be added is lost: a rejection that nothing handles would stop the server.
    this.#departed = this.#departed.then((before) =>
      aggregate([before, counted]).catch(() => before),
    );
    this.#pending.get(worker)?.();
  }

  /**
   * The exposition of all processes.
   *
   * @param request asks a worker for its metrics, which arrive at `receive`.
   * @param readOwn reads the metrics of this process.
   */
  async read(
    workers: readonly Worker[],
    request: (worker: Worker) => void,
    readOwn: () => Promise<readonly MetricFamily[]>,
  ): Promise<string> {
    const responses = await Promise.all(
      workers.map(async (worker) => {
        const { promise, resolve } = Promise.withResolvers<readonly MetricFamily[] | undefined>();
        const timer = setTimeout(() => resolve(undefined), timeoutMs);
        this.#pending.set(worker, resolve);
        request(worker);
        const families = await promise;
        clearTimeout(timer);
        this.#pending.delete(worker);
        return families;
      }),
    );
    this.#silent = responses.filter((families) => families === undefined).length;
    const heard = new Set(responses);
    // In one step with `departed`: a worker that ends now is counted in one of the two.
    const last = [...this.#last.values()].map((families) =>
      heard.has(families) ? families : withoutGauges(families),
    );
    const departed = this.#departed;
    return render([await readOwn(), await departed, ...last]);
  }
}

/** What only grows: it stays true when its process is gone. */
function withoutGauges(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return families.filter(({ type }) => type !== "gauge");
}
