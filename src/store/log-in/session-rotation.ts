import type { Kysely } from "kysely";
import type { LogInStore } from "../../domain/log-in/log-in-store.ts";
import type { Tables } from "../migrations/tables.ts";

/** How a session goes on: each step takes place once, whoever of several nodes comes first (decision 0024). */
export type SessionRotation = Pick<LogInStore, "bindInstance" | "offer" | "promote">;

/** Each step is one statement that changes the session only if it is as the caller knows it. */
export function createSessionRotation(database: Kysely<Tables>): SessionRotation {
  const lasting = (sessionId: bigint) =>
    database.updateTable("sessions").where("id", "=", sessionId).where("ended_at", "is", null);
  return {
    bindInstance: async (sessionId, instanceId) => {
      const result = await lasting(sessionId)
        .set({ application_instance_id: instanceId })
        .where("application_instance_id", "is", null)
        .executeTakeFirstOrThrow();
      return result.numUpdatedRows > 0n;
    },
    offer: async (
      { id, rotations, pending: replaced },
      { pending, pendingBox, usedAtMs, idleUntilMs },
    ) => {
      const result = await lasting(id)
        .set({
          pending_hash: pending,
          pending_box: pendingBox,
          used_at: BigInt(usedAtMs),
          idle_until: BigInt(idleUntilMs),
        })
        .where("generation", "=", BigInt(rotations))
        .where("pending_hash", replaced === null ? "is" : "=", replaced)
        .executeTakeFirstOrThrow();
      return result.numUpdatedRows > 0n;
    },
    promote: async ({ id, rotations }, next) => {
      const result = await lasting(id)
        .set({
          generation: BigInt(rotations) + 1n,
          current_hash: next.current,
          previous_hash: next.previous,
          previous_until: next.previousUntilMs === null ? null : BigInt(next.previousUntilMs),
          pending_hash: null,
          pending_box: null,
          retired_hashes: next.retired.join(" "),
          rotated_at: BigInt(next.rotatedAtMs),
          used_at: BigInt(next.usedAtMs),
          idle_until: BigInt(next.idleUntilMs),
        })
        .where("generation", "=", BigInt(rotations))
        .executeTakeFirstOrThrow();
      return result.numUpdatedRows > 0n;
    },
  };
}
