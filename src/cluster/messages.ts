import type { Readiness } from "../domain/page-requests/readiness.ts";
import type { SecretKeys } from "../secrets/secret-keys.ts";
import type { Rebalance } from "../server/http/connection-tracker.ts";
import type { Listening } from "../server/http/listener.ts";
import type { MetricSamples } from "../server/metrics/samples.ts";
import type { Config } from "../server/settings/settings.ts";
import type { Failure } from "./failure.ts";

/** Something that a worker asks of the first process: what it is, and with which arguments. */
export type Ask = readonly [id: number, what: AskName, args: readonly unknown[]];

/** What can be asked: the place behind the dot, where there is one, is a method of what stands before it. */
export type AskName = "page-requests" | `log-in.${string}` | `overrides.${string}` | "figures";

/** What came of an ask: `failure` where it failed. */
export type Answer = readonly [id: number, value: unknown, failure?: Failure];

/** What a worker begins with. It reads no settings and no keys itself: they may have changed since the server began. */
export interface WorkerStart {
  /** From 1; a worker that takes the place of another has its number. */
  readonly number: number;
  readonly config: Config;
  readonly secretKeys: SecretKeys;
  /** Whether page requests can be stored now, or why not. */
  readonly readiness: Readiness;
}

/** What the first process says to a worker. */
export type ToWorker =
  | ({ readonly kind: "start" } & WorkerStart)
  | { readonly kind: "answers"; readonly answers: readonly Answer[] }
  | { readonly kind: "ready"; readonly readiness: Readiness }
  /** The gazetteer may be another one. */
  | { readonly kind: "look-again" }
  /** Have so many callers come back, to whoever has room then; the latest word counts. */
  | { readonly kind: "shed"; readonly surplus: Rebalance }
  /** Say what was counted; without gauges where it is for a worker's death only, since reading some of them begins them anew. */
  | { readonly kind: "count"; readonly growingOnly: boolean }
  /** Finish what has begun, and end. */
  | { readonly kind: "stop" };

/** Where a server can be reached from this machine. */
export type Addresses = Pick<Listening, "url" | "adminUrl">;

/** What a worker says to the first process. */
export type FromWorker =
  /** It runs, and waits for its start. */
  | { readonly kind: "hello" }
  | ({ readonly kind: "listening" } & Addresses)
  /** It could not start; `code` is the system's, where there is one. */
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  /** It takes no more connections and will end: another one is to take its place. */
  | { readonly kind: "leaving" }
  /** What it has counted, as it was asked. */
  | { readonly kind: "counted"; readonly figures: MetricSamples; readonly growingOnly: boolean }
  /** It has so many connections. */
  | { readonly kind: "holds"; readonly connections: number }
  /** Its event loop goes round. */
  | { readonly kind: "alive" }
  | { readonly kind: "asks"; readonly asks: readonly Ask[] };
