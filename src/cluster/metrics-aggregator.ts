import {
  aggregateSamples,
  growingOf,
  type MetricSamples,
  renderSamples,
} from "../server/metrics/samples.ts";

/** Longest wait for the figures of a worker, in milliseconds: Prometheus gives up after 10 s, and a worker needs a few milliseconds. */
const patienceMs = 1_000;

/** What a book of figures is made of. */
export interface FigureBookParts<Worker> {
  /** Figures of this process. */
  readonly own: () => Promise<MetricSamples>;
  /** Has a worker send its figures. */
  readonly ask: (worker: Worker) => void;
  /** Runs something later; returns what calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** Figures of all processes of a server. What a worker has counted stays when it is gone, as it was last heard. */
export interface FigureBook<Worker> {
  /** Takes figures of a worker. */
  hear(worker: Worker, figures: MetricSamples): void;
  /** Takes what only grows of a worker's figures, between two readings. */
  keep(worker: Worker, growing: MetricSamples): void;
  /** A worker is gone. */
  leave(worker: Worker): void;
  /** Figures of these workers and this process, as text; who asks meanwhile gets the same. */
  read(workers: Iterable<Worker>): Promise<string>;
  /** Workers that left the last reading unanswered. */
  silent(): number;
}

/** Begins with nothing counted. */
export function createFigureBook<Worker>(parts: FigureBookParts<Worker>): FigureBook<Worker> {
  const last = new Map<Worker, MetricSamples>();
  let departed: Promise<MetricSamples> = Promise.resolve([]);
  let awaited = new Set<Worker>();
  let allHeard = () => {};
  let silent = 0;
  let reading: Promise<string> | undefined;

  function settle(worker: Worker): void {
    awaited.delete(worker);
    if (awaited.size === 0) allHeard();
  }
  async function gather(workers: Iterable<Worker>): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    awaited = new Set(workers);
    allHeard = resolve;
    const callOff = parts.after(patienceMs, resolve);
    for (const worker of awaited) parts.ask(worker);
    if (awaited.size > 0) await promise;
    callOff();
    const missing = awaited;
    awaited = new Set();
    silent = missing.size;
    const before = departed;
    // One that dies from here on is in what was heard of it, or in what is left of it: never in both.
    const heard = [...last].map(([worker, figures]) =>
      missing.has(worker) ? growingOf(figures) : figures,
    );
    return renderSamples([await parts.own(), await before, ...heard]);
  }
  return {
    hear: (worker, figures) => {
      last.set(worker, figures);
      settle(worker);
    },
    keep: (worker, growing) => {
      // One that is being read says all of it in a moment, or has said it: its gauges are wanted.
      if (reading === undefined) last.set(worker, growing);
    },
    leave: (worker) => {
      const left = growingOf(last.get(worker) ?? []);
      last.delete(worker);
      departed = departed.then((before) => aggregateSamples([before, left]));
      settle(worker);
    },
    read: (workers) => {
      reading ??= gather(workers).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    silent: () => silent,
  };
}
