import { randomInt } from "node:crypto";

/** Length and rate of a run. */
export interface SoakPlan {
  readonly minutes: number;
  readonly killSeconds: number;
  /** Times of the usual rate of requests, which is some 360 a second. */
  readonly rate: number;
  /** Tells the rows and accounts of this run from those of others in the same database. */
  readonly run: string;
  /** Of the changes of malformed requests. */
  readonly seed: number;
}

/**
 * Reads the plan from WFH_SOAK_MINUTES (60), WFH_SOAK_KILL_SECONDS (60), WFH_SOAK_RATE (1) and WFH_SOAK_SEED (a new one).
 *
 * @throws {Error} that names the variable whose value is none.
 */
export function readPlan(environment: Readonly<Record<string, string | undefined>>): SoakPlan {
  const read = (name: string, fallback: number, [least, most]: readonly [number, number]) => {
    const value = Number(environment[name] ?? fallback);
    if (value >= least && value <= most) return value;
    throw new Error(`${name} is ${environment[name]}: give a number from ${least} to ${most}.`);
  };
  return {
    // A fortnight: beyond that, cookies of visitors end.
    minutes: read("WFH_SOAK_MINUTES", 60, [0.1, 14 * 24 * 60]),
    killSeconds: read("WFH_SOAK_KILL_SECONDS", 60, [10, 86_400]),
    // More would keep the load busy, which then measures itself.
    rate: read("WFH_SOAK_RATE", 1, [0.05, 5]),
    run: `r${Date.now().toString(36)}`,
    seed: read("WFH_SOAK_SEED", randomInt(2 ** 31), [0, 2 ** 31]),
  };
}
