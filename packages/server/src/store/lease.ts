import { type Database, statement } from "./sql.ts";

/** The terms on which a lease is asked for. */
export interface LeaseTerms {
  /** The job that only one holder at a time may do. */
  readonly name: string;
  /** Tells this holder from all others. */
  readonly holder: string;
  /** Milliseconds until it expires unless it is extended; the same for all holders of a name. */
  readonly durationMs: number;
}

const take = statement<{
  name: string;
  holder: string;
  expiresAt: number;
  now: number;
  tooFar: number;
}>(`
  insert into leases (name, holder, expires_at) values (:name, :holder, :expiresAt)
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
  where leases.holder = :holder or leases.expires_at <= :now or leases.expires_at > :tooFar`);

const giveBack = statement<{ name: string; holder: string }>(
  "delete from leases where name = :name and holder = :holder",
);

/** Database leases: one node at a time does a job, and one that died loses it (decision 0046). */
export class LeaseQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes or extends a lease; false while another holder has it. */
  async acquire({ name, holder, durationMs }: LeaseTerms, nowMs: number): Promise<boolean> {
    const now = await this.#database.currentTime(nowMs);
    const expiresAt = now + durationMs;
    // Taken while the clock was ahead: no other lease lasts for so long.
    const tooFar = now + 2 * durationMs;
    return (await this.#database.run(take, { name, holder, now, expiresAt, tooFar })) > 0;
  }

  async release({ name, holder }: Pick<LeaseTerms, "name" | "holder">): Promise<void> {
    await this.#database.run(giveBack, { name, holder });
  }
}

/** A lease that this holder takes, extends and gives back. */
export class Lease {
  readonly #queries: LeaseQueries;
  readonly #terms: LeaseTerms;
  readonly #now: () => number;

  /** @param now milliseconds since 1970 UTC; with PostgreSQL the clock of the server counts. */
  constructor(
    queries: LeaseQueries,
    terms: Pick<LeaseTerms, "name" | "durationMs">,
    now: () => number,
  ) {
    this.#queries = queries;
    this.#terms = { ...terms, holder: crypto.randomUUID() };
    this.#now = now;
  }

  /** Takes the lease, or extends it; false while another holder has it. */
  acquire(): Promise<boolean> {
    return this.#queries.acquire(this.#terms, this.#now());
  }

  /** Gives the lease back, if this holder still has it. */
  release(): Promise<void> {
    return this.#queries.release(this.#terms);
  }
}
