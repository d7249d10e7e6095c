import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "./migrations/tables.ts";

/** What a lease is made of. */
export interface LeaseOptions {
  readonly database: Kysely<Tables>;
  /** What only one holder at a time may do. */
  readonly name: string;
  /** Tells this holder from all others. */
  readonly holder: string;
  /** Time until it expires unless it is extended, in milliseconds; the same for all holders of a name. */
  readonly durationMs: number;
  /** The present as SQL, UTC in milliseconds: `Dialect.currentTime`. */
  readonly currentTime: () => RawBuilder<bigint>;
}

/** A lease in the database: of several nodes one at a time does a job, and one that died loses it (decision 0046). */
export class Lease {
  readonly #options: LeaseOptions;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Takes the lease, or extends it; false while another holder has it. */
  async acquire(): Promise<boolean> {
    const { database, name, holder, durationMs, currentTime } = this.#options;
    const [now, duration] = [currentTime(), BigInt(durationMs)];
    const row = await database
      .insertInto("leases")
      .values({ name, holder, expires_at: sql<bigint>`${now} + ${duration}` })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet(({ ref }) => ({
            holder: ref("excluded.holder"),
            expires_at: ref("excluded.expires_at"),
          }))
          .where(({ eb, or }) =>
            or([
              eb("leases.holder", "=", holder),
              eb("leases.expires_at", "<=", now),
              // Taken while the clock was ahead: nothing else lasts for so long.
              eb("leases.expires_at", ">", sql<bigint>`${now} + ${duration * 2n}`),
            ]),
          ),
      )
      .returning("name")
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Gives the lease back, if this holder still has it. */
  async release(): Promise<void> {
    const { database, name, holder } = this.#options;
    await database
      .deleteFrom("leases")
      .where("name", "=", name)
      .where("holder", "=", holder)
      .execute();
  }
}
