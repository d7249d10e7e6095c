import type { Admission } from "./admission.ts";

/** A number of places for work that is done at the same time. */
export interface Places {
  /** Does the work as soon as a place is free, and gives the place back whatever comes of it. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Who may log in when. One for all processes that share a port, so that limits are those of the whole server. */
export interface LogInTurns {
  readonly strangers: Admission;
  /** Apart, so that no crowd of strangers keeps those out who are logged in on their device. */
  readonly owners: Admission;
  /** Hashes at the same time. */
  readonly hashes: Places;
}
