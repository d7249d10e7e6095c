import { KeyedSemaphore } from "../../../lib/semaphore.ts";

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

/** Starts with nobody in. */
export function createConcurrencyLimiter({
  max,
  networkPlaces,
}: ConcurrencyLimits): CountedConcurrencyLimiter {
  const semaphore = new KeyedSemaphore();
  const networkMax = Math.max(networkLeast, Math.floor(max * networkShare));
  let count = 0;

  return {
    count: () => count,
    run: async ({ account, network }, work) => {
      const ofAccount = `account ${account}`;
      const ofNetwork = `network ${network}`;
      const isFull =
        count >= max ||
        semaphore.loadOf(ofAccount) >= accountMax ||
        semaphore.loadOf(ofNetwork) >= networkMax;
      if (isFull) throw new TooManyLogInsError();
      count += 1;
      const permits = [
        { key: ofAccount, permits: 1 },
        { key: ofNetwork, permits: networkPlaces },
      ];
      try {
        return await semaphore.run(permits, work);
      } finally {
        count -= 1;
      }
    },
  };
}
