import { Semaphore } from "../semaphore.ts";

/** So many log-ins wait for their hash that one more is refused: the same call may succeed in a moment. */
export class TooManyLogInsError extends Error {
  constructor() {
    super("Too many log-ins wait for their turn");
    this.name = "TooManyLogInsError";
  }
}

/** Attempts on one account that run or wait: a page that asks from several frames, and no more. */
const accountMax = 8;
/** The part of all places that one network may take, so that a crowd from one leaves room for the rest. */
const networkShare = 1 / 4;
/** The least that is, in places. */
const networkLeast = 8;

/** Who an attempt is for, and where it comes from. */
export interface ConcurrencyKeys {
  readonly account: string;
  readonly network: string;
}

/** How many log-ins are let in. */
export interface ConcurrencyLimits {
  /** Work that may be running or waiting at the same time. */
  readonly max: number;
  /**
   * Attempts of one network that are on their way at the same time. An attempt counts from its beginning, so
   * without a bound a whole office that logs in at once would hold itself (decision 0023).
   */
  readonly networkPlaces: number;
}

/** Lets log-ins in, a bounded number at a time. */
export interface ConcurrencyLimiter {
  /**
   * Runs work when all work on the same account that came before has ended, and not too much of the same network is on
   * its way: attempts that come at the same time and are right do not count against each other.
   *
   * @throws {TooManyLogInsError} at once when there is too much to do, in all or for the account or the
   * network; nothing has been done then.
   */
  run<Result>(keys: ConcurrencyKeys, work: () => Promise<Result>): Promise<Result>;
}

/** An admission that is kept here, and can say how much it has let in. */
export interface CountedConcurrencyLimiter extends ConcurrencyLimiter {
  /** Work that runs or waits now. */
  count(): number;
}

/** A semaphore for each key, as long as there is work on it. */
function createKeyedSemaphore(permits: number) {
  const semaphores = new Map<string, Semaphore>();
  return {
    run: async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
      const semaphore = semaphores.get(key) ?? new Semaphore(permits);
      semaphores.set(key, semaphore);
      try {
        return await semaphore.run(work);
      } finally {
        // Another one may have taken its place by now.
        if (semaphores.get(key)?.load.running === 0) semaphores.delete(key);
      }
    },
  };
}

/** Starts with nobody in. */
export function createConcurrencyLimiter({
  max,
  networkPlaces,
}: ConcurrencyLimits): CountedConcurrencyLimiter {
  const accounts = createKeyedSemaphore(1);
  const networks = createKeyedSemaphore(networkPlaces);
  const counts = new Map<string, number>();
  const networkMax = Math.max(networkLeast, Math.floor(max * networkShare));
  let count = 0;

  function change(key: string, by: 1 | -1): void {
    const next = (counts.get(key) ?? 0) + by;
    if (next === 0) counts.delete(key);
    else counts.set(key, next);
  }
  return {
    count: () => count,
    run: async ({ account, network }, work) => {
      const ofAccount = `account ${account}`;
      const ofNetwork = `network ${network}`;
      const isFull =
        count >= max ||
        (counts.get(ofAccount) ?? 0) >= accountMax ||
        (counts.get(ofNetwork) ?? 0) >= networkMax;
      if (isFull) throw new TooManyLogInsError();
      count += 1;
      for (const key of [ofAccount, ofNetwork]) change(key, 1);
      try {
        return await accounts.run(account, () => networks.run(network, work));
      } finally {
        count -= 1;
        for (const key of [ofAccount, ofNetwork]) change(key, -1);
      }
    },
  };
}
