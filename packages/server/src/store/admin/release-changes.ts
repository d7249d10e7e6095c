import {
  type NewRelease,
  type ReleaseStore,
  releaseLimits,
  type StoredRelease,
} from "../../domain/location/release.ts";
import { ReleaseQueries } from "../gazetteer-releases.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";

const addRelease = statement<Omit<StoredRelease, "id" | "currentSinceMs">, { id: bigint }>(`
  insert into gazetteer_releases (sha256, bytes, data_date, postal_codes, created_at)
  values (:sha256, :bytes, :dataDate, :postalCodes, :createdAtMs) returning id`);
const addPart = statement<{ id: bigint; number: number; content: Uint8Array }>(
  "insert into gazetteer_release_parts (release_id, number, content) values (:id, :number, :content)",
);
const countRevision = statement<{ expected: bigint }>(`
  update revisions set number = number + 1
  where name = 'gazetteer-releases' and number = :expected`);
const removeOld = statement<{ firstNew: bigint }>(
  "delete from gazetteer_releases where current_since is null and id < :firstNew",
);
const markCurrent = statement<{ id: bigint; now: number }>(
  "update gazetteer_releases set current_since = case when id = :id then cast(:now as bigint) end",
);
const swap = statement<{ now: number }>(
  "update gazetteer_releases set current_since = case when current_since is null then cast(:now as bigint) end",
);

/** Undoes a transaction that another one has overtaken. */
class OvertakenError extends Error {}

/** Changes of the releases of the gazetteer, all or nothing; false when another one came first. */
export class ReleaseChanges extends ReleaseQueries implements ReleaseStore {
  publish(releases: readonly NewRelease[], expected: bigint, nowMs: number): Promise<boolean> {
    return this.#change(async (transaction) => {
      const ids: bigint[] = [];
      for (const release of releases) ids.push(await insert(transaction, release, nowMs));
      // Last of what may have to wait: only here does a publication find out that it was overtaken.
      await claim(transaction, expected);
      await transaction.run(removeOld, { firstNew: ids[0] ?? 0n });
      await transaction.run(markCurrent, { id: ids.at(-1) ?? 0n, now: nowMs });
    });
  }

  rollBack(expected: bigint, nowMs: number): Promise<boolean> {
    return this.#change(async (transaction) => {
      await claim(transaction, expected);
      await transaction.run(swap, { now: nowMs });
    });
  }

  async #change(work: (transaction: SqlConnection) => Promise<void>): Promise<boolean> {
    try {
      await this.database.transaction(work);
      return true;
    } catch (cause) {
      if (cause instanceof OvertakenError) return false;
      throw cause;
    }
  }
}

async function insert(
  transaction: SqlConnection,
  { artifact, sha256, dataDate, postalCodes }: NewRelease,
  createdAtMs: number,
): Promise<bigint> {
  const bytes = artifact.length;
  const added = { sha256, bytes, dataDate, postalCodes, createdAtMs };
  const row = await firstRow(transaction, addRelease, added);
  if (row === undefined) throw new Error("The release has no id");
  const { partBytes } = releaseLimits;
  for (let number = 0; number * partBytes < artifact.length; number += 1) {
    const content = artifact.subarray(number * partBytes, (number + 1) * partBytes);
    await transaction.run(addPart, { id: row.id, number, content });
  }
  return row.id;
}

async function claim(transaction: SqlConnection, expected: bigint): Promise<void> {
  if ((await transaction.run(countRevision, { expected })) === 0) throw new OvertakenError();
}
