import type { GazetteerFacts } from "../domain/location/gazetteer.ts";
import type { MetricFamily } from "../server/metrics/metric.ts";
import type { Config } from "../server/settings/settings.ts";

/** How often a worker reports that its event loop runs, in milliseconds. */
export const heartbeatMs = 5_000;

/** What a worker starts with. It reads no settings itself: they may have changed since the supervisor started. */
export interface WorkerStart {
  /** From 1; a replacement has the number of its predecessor. */
  readonly number: number;
  readonly config: Config;
}

/** What a worker serves, and where. */
export interface WorkerListening {
  readonly url: string;
  readonly adminUrl: string | undefined;
  readonly facts: GazetteerFacts;
}

/** Messages from the supervisor. */
export type ToWorker =
  | ({ readonly kind: "start" } & WorkerStart)
  /** Look for new postal codes. */
  | { readonly kind: "reload" }
  | { readonly kind: "read-metrics" }
  /** The exposition of all workers; undefined when it cannot be made. */
  | { readonly kind: "metrics"; readonly text: string | undefined }
  /** Finish the requests under way, and end; `reason` is a signal or an error of the supervisor. */
  | { readonly kind: "stop"; readonly reason: string };

/** Messages to the supervisor. */
export type FromWorker =
  /** The worker runs, and waits for `start`. */
  | { readonly kind: "hello" }
  | ({ readonly kind: "listening" } & WorkerListening)
  /** It cannot start. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "read-metrics" }
  | { readonly kind: "metrics"; readonly families: readonly MetricFamily[] }
  | { readonly kind: "heartbeat" };
