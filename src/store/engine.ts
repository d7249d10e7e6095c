import type { Call } from "../lib/rpc.ts";
import type { BatchWriter } from "./page-requests/batch-writer.ts";

/** An open database of either engine. */
export interface OpenDatabase {
  /** Calls a method of `DatabaseApi` by its name, such as `logIn.begin`. */
  readonly call: Call;
  /** Write page requests: as many as the engine has use for at the same time. */
  readonly writers: readonly BatchWriter[];
  /** False for an error where waiting does not help: no permission, no such database, a damaged file. */
  readonly isPassing: (cause: unknown) => boolean;
  /**
   * Tells other servers of this one until the database is closed; false where another one has it open. Absent
   * where several servers may have the same database.
   */
  readonly lockAsServer?: () => boolean;
  /** Ends everything; the writers are closed by their owner before. */
  close(): Promise<void>;
}
