import {
  type ReleaseSource,
  type Revisions,
  releaseLimits,
  type StoredRelease,
} from "../domain/location/release.ts";
import { type Database, firstRow, statement } from "./sql.ts";

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

/** Releases of the gazetteer in a database, as nodes read them. */
export class ReleaseQueries implements ReleaseSource {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async readRevisions(): Promise<Revisions> {
    const found = await firstRow(this.database, findRevisions, {});
    if (found === undefined) throw new Error("The revisions are missing");
    return found;
  }

  list(): Promise<readonly StoredRelease[]> {
    return this.database.rows(listAll, {});
  }

  async readPart(id: bigint, number: number): Promise<Uint8Array | null> {
    const max = releaseLimits.partBytes;
    return (await firstRow(this.database, findPart, { id, number, max }))?.content ?? null;
  }
}
