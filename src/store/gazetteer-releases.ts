import {
  type NewRelease,
  type ReleaseStore,
  type Revisions,
  releaseLimits,
  type StoredRelease,
} from "../domain/location/release.ts";
import { type Connection, type Database, firstRow, statement } from "./sql.ts";

const findRevisions = statement<object, Revisions>(`
  select (select number from revisions where name = 'place-overrides') as overrides,
    (select number from revisions where name = 'gazetteer-releases') as releases`);
const listAll = statement<object, StoredRelease>(`
  select id, sha256, bytes, data_date as "dataDate", postal_codes as "postalCodes",
    created_at as "createdAtMs", current_since as "currentSinceMs"
  from gazetteer_releases order by current_since is null, id desc limit 2`);
// The length is looked at first: what does not fit is not even sent.
const findPart = statement<{ id: bigint; number: number; max: number }, { content: Uint8Array }>(
  `select content from gazetteer_release_parts
  where release_id = :id and number = :number and length(content) <= :max`,
);
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

/** Releases of the gazetteer in a database. */
export function createReleaseQueries(database: Database): ReleaseStore {
  const change = async (work: (transaction: Connection) => Promise<void>) => {
    try {
      await database.transaction(work);
      return true;
    } catch (cause) {
      if (cause instanceof OvertakenError) return false;
      throw cause;
    }
  };
  return {
    readRevisions: async () => {
      const found = await firstRow(database, findRevisions, {});
      if (found === undefined) throw new Error("The revisions are missing");
      return found;
    },
    list: () => database.rows(listAll, {}),
    readPart: async (id, number) => {
      const max = releaseLimits.partBytes;
      return (await firstRow(database, findPart, { id, number, max }))?.content ?? null;
    },
    publish: (releases, expected, nowMs) =>
      change(async (transaction) => {
        const ids: bigint[] = [];
        for (const release of releases) ids.push(await insert(transaction, release, nowMs));
        // Last of what may have to wait, so that a publication that is overtaken finds out here and nowhere else.
        await claim(transaction, expected);
        await transaction.run(removeOld, { firstNew: ids[0] ?? 0n });
        await transaction.run(markCurrent, { id: ids.at(-1) ?? 0n, now: nowMs });
      }),
    rollBack: (expected, nowMs) =>
      change(async (transaction) => {
        await claim(transaction, expected);
        await transaction.run(swap, { now: nowMs });
      }),
  };
}

async function insert(
  transaction: Connection,
  { artifact, sha256, dataDate, postalCodes }: NewRelease,
  createdAtMs: number,
): Promise<bigint> {
  const row = await firstRow(transaction, addRelease, {
    ...{ sha256, bytes: artifact.length, dataDate, createdAtMs, postalCodes },
  });
  if (row === undefined) throw new Error("The release has no id");
  const { partBytes } = releaseLimits;
  for (let number = 0; number * partBytes < artifact.length; number += 1) {
    const content = artifact.subarray(number * partBytes, (number + 1) * partBytes);
    await transaction.run(addPart, { id: row.id, number, content });
  }
  return row.id;
}

async function claim(transaction: Connection, expected: bigint): Promise<void> {
  if ((await transaction.run(countRevision, { expected })) === 0) throw new OvertakenError();
}
