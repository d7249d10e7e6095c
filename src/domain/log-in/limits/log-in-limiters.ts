import type { Semaphore } from "../../../lib/semaphore.ts";
import { type ConcurrencyLimiter, createConcurrencyLimiter } from "./concurrency-limiter.ts";

/** Who may log in when. One for all processes that share a port, so that limits are those of the whole server. */
export interface LogInLimiters {
  readonly strangers: ConcurrencyLimiter;
  /** Apart, so that no crowd of strangers keeps those out who are logged in on their device. */
  readonly owners: ConcurrencyLimiter;
  /**
   * Attempts that are counted and not verified yet. Those beyond are counted when a hash ends, in the same transaction as what is
   * written of that log-in: half as many syncs.
   */
  readonly counted: Pick<Semaphore, "run">;
  /** Hashes at the same time. */
  readonly hashes: Pick<Semaphore, "run">;
}

/** Turns that are kept in this process, which can say how much there is to do. */
export interface LocalLogInLimiters extends LogInLimiters {
  /** Log-ins with a password that are being verified or wait for it. */
  logInsUnderWay(): number;
}

/** Attempts that are counted for each hash at a time, that one included: counting may take as long as three hashes, and no core waits for it. */
export const countedPerHash = 4;

/** Two nodes with the most have fewer on their way than may fail from one network (decision 0023). */
const networkPlaces = { least: 4, most: 14 } as const;

/**
 * Starts with nobody in.
 *
 * @param semaphores with a permit for each hash at a time, and `countedPerHash` times as many for counted attempts;
 * `hashQueueMax` more log-ins may wait.
 */
export function createLogInLimiters(
  { hashesAtOnce, hashQueueMax }: { readonly hashesAtOnce: number; readonly hashQueueMax: number },
  semaphores: Pick<LogInLimiters, "counted" | "hashes">,
): LocalLogInLimiters {
  const bounds = {
    max: hashesAtOnce + hashQueueMax,
    networkPlaces: Math.min(Math.max(hashesAtOnce, networkPlaces.least), networkPlaces.most),
  };
  const [strangers, owners] = [createConcurrencyLimiter(bounds), createConcurrencyLimiter(bounds)];
  const logInsUnderWay = () => strangers.count() + owners.count();
  return { strangers, owners, ...semaphores, logInsUnderWay };
}
