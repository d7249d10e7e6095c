import { KeyedSemaphore } from "../../../lib/semaphore.ts";
import { networkRateLimit } from "./rate-limits.ts";

/** Too many log-ins are waiting: the same call may succeed in a moment. */
export class TooManyLogInsError extends Error {
  constructor() {
    super("Too many log-ins are waiting");
    this.name = "TooManyLogInsError";
  }
}

/** Most attempts on one account that run or wait: enough for several frames of a page. */
const accountMax = 8;
/** Share of all attempts that one network may have, so that it leaves room for others. */
const networkShare = 1 / 4;
const networkMaxLeast = 8;
/** Fewest attempts of one network at the same time on one node, however few hashes do. */
const networkRunningLeast = 4;
/**
 * Attempts that are counted and not verified yet, for each hash at a time, that one included:
 * counting may take as long as three hashes, and no core waits for it. Those beyond are counted
 * when a hash ends, in the same transaction as what is written of that log-in: half as many syncs.
 */
const countedPerHash = 4;

/** Limits on log-ins at the same time. */
export interface ConcurrencyLimits {
  /** Attempts that run or wait; owners have as many of their own. */
  readonly max: number;
  /** Attempts of one network at the same time, unless the number of nodes allows fewer. */
  readonly networkRunning: number;
  /** Attempts that are counted and not verified yet; owners have as many of their own. */
  readonly countedMax: number;
}

/** The limits for so many hashes at the same time and so many more log-ins that may wait. */
export function toConcurrencyLimits({
  hashesAtOnce,
  hashQueueMax,
}: {
  readonly hashesAtOnce: number;
  readonly hashQueueMax: number;
}): ConcurrencyLimits {
  return {
    max: hashesAtOnce + hashQueueMax,
    networkRunning: Math.max(hashesAtOnce, networkRunningLeast),
    countedMax: countedPerHash * hashesAtOnce,
  };
}

/** Who an attempt is for, and where it comes from. */
export interface ConcurrencyKeys {
  readonly account: string;
  readonly network: string;
  /** Owners are logged in on their device; they have room of their own beside strangers. */
  readonly isOwner: boolean;
}

/** Bounds log-ins that run and wait: in all, of an account and of a network (decision 0023). */
export class ConcurrencyLimiter {
  readonly #semaphore = new KeyedSemaphore();
  readonly #limits: ConcurrencyLimits;
  readonly #networkMax: number;
  readonly #nodes: () => number;

  /** @param nodes how many servers share the database now. */
  constructor(limits: ConcurrencyLimits, nodes: () => number) {
    this.#limits = limits;
    this.#nodes = nodes;
    this.#networkMax = Math.max(networkMaxLeast, Math.floor(limits.max * networkShare));
  }

  /** Log-ins that run or wait. */
  count(): number {
    return this.#semaphore.loadOf(owners) + this.#semaphore.loadOf(strangers);
  }

  /**
   * Runs work when earlier work on the same account has ended, so that right attempts at the same
   * time do not count against each other, and not too much of the network or in all runs.
   *
   * @param work calls `verified` once its attempt is verified, which lets the next one be counted.
   * @throws {TooManyLogInsError} at once when there is too much in all, for the account or for the
   * network; nothing has been done then.
   */
  async run<Result>(
    { account, network, isOwner }: ConcurrencyKeys,
    work: (verified: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { max, networkRunning, countedMax } = this.#limits;
    // An attempt is counted when it begins, so that without a bound an office that logs in at once
    // would block itself. All nodes, and one that has just joined, run fewer than may fail from one
    // network (decisions 0023 and 0064).
    const share = Math.floor((networkRateLimit.windowMax - 1) / (this.#nodes() + 1));
    const running = Math.max(1, Math.min(networkRunning, share));
    const group = isOwner ? owners : strangers;
    const ofAccount = `${group}, account ${account}`;
    const ofNetwork = `${group}, network ${network}`;
    // Apart: otherwise an owner would wait for the hashes of all strangers before.
    const counted = `${group}, counted`;
    const isFull =
      this.#semaphore.loadOf(group) >= max ||
      this.#semaphore.loadOf(ofAccount) >= accountMax ||
      this.#semaphore.loadOf(ofNetwork) >= this.#networkMax;
    if (isFull) throw new TooManyLogInsError();
    const permits = new Map([
      [group, max],
      [ofAccount, 1],
      [ofNetwork, running],
      [counted, countedMax],
    ]);
    return this.#semaphore.run(permits, (release) => work(() => release(counted)));
  }
}

const owners = "owners";
const strangers = "strangers";
