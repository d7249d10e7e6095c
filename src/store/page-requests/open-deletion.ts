import { openChecked } from "../open-database.ts";
import type { DeletionQueries } from "./deletion.ts";

/** A database whose page requests are deleted. */
export interface OpenDeletion {
  readonly deletion: DeletionQueries;
  close(): Promise<void>;
}

/**
 * Opens the database to delete page requests, beside the server that writes them or without one.
 *
 * @throws {StoreError} when it is not there or has another schema than this program knows.
 */
export async function openDeletion(url: string): Promise<OpenDeletion> {
  // As patient as an import: a step may look at all page requests of a day.
  const database = await openChecked(url, "import", (schema) => schema.require());
  return { deletion: database.api.deletion, close: () => database.close() };
}
