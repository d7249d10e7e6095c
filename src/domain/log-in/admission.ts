import { createLanes } from "./lanes.ts";

/** So many log-ins wait for their hash that one more is refused: the same call may succeed in a moment. */
export class TooManyLogInsError extends Error {
  constructor() {
    super("Too many log-ins wait for their turn");
    this.name = "TooManyLogInsError";
  }
}

/**
 * Attempts of one network that are on their way at the same time. An attempt counts from its beginning, so
 * without a bound a whole office that logs in at once would hold itself (decision 0023).
 */
const networkPlaces = 16;

/** Who an attempt is for, and where it comes from. */
export interface AdmissionKeys {
  readonly account: string;
  readonly network: string;
}

/** Lets log-ins in, a bounded number at a time. */
export interface Admission {
  /**
   * Runs work when all work on the same account that came before has ended, and not too much of the same network is on
   * its way: attempts that come at the same time and are right do not count against each other.
   *
   * @throws {TooManyLogInsError} at once when there is too much to do; nothing has been done then.
   */
  run<Result>(keys: AdmissionKeys, work: () => Promise<Result>): Promise<Result>;
}

/** @param max work that may be running or waiting at the same time. */
export function createAdmission(max: number): Admission {
  const accounts = createLanes(1);
  const networks = createLanes(networkPlaces);
  let count = 0;
  return {
    run: async ({ account, network }, work) => {
      if (count >= max) throw new TooManyLogInsError();
      count += 1;
      try {
        return await accounts.run(account, () => networks.run(network, work));
      } finally {
        count -= 1;
      }
    },
  };
}
