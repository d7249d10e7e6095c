import { NotStoredError } from "../domain/page-requests/page-request-log.ts";
import type { RowValues } from "../store/page-requests/columns.ts";
import { type Failure, fromFailure } from "./failure.ts";

/** Batches on their way at the same time: while one is synced, the next one is there already. */
const batchesMax = 2;
/** Most rows of one batch, as of one transaction (decision 0014). */
const rowsMax = 256;

/** What became of the rows of a batch: null where all are stored, else the failure of each or null. */
export type RowsOutcome = readonly (Failure | null)[] | null;

/** What row lanes are made of. */
export interface RowLanesParts {
  /** Resolves once every row is stored or refused. */
  readonly send: (rows: readonly RowValues[]) => Promise<RowsOutcome>;
  /** Most rows that wait for a batch of theirs; one more is refused. */
  readonly queueMax: number;
}

interface Waiting {
  readonly row: RowValues;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Sends rows to the process that writes, in batches: those that arrive while others are on their way make up the next one, because a
 * message costs as much as many rows. Each call resolves once its row is on disk.
 */
export function createRowLanes({ send, queueMax }: RowLanesParts) {
  let queue: Waiting[] = [];
  let underWay = 0;
  let isDeferred = false;

  async function dispatch(): Promise<void> {
    isDeferred = false;
    const batch = queue.splice(0, rowsMax);
    if (batch.length === 0) return;
    underWay += 1;
    try {
      const outcome = await send(batch.map(({ row }) => row));
      for (const [i, { resolve, reject }] of batch.entries()) {
        const failure = outcome?.[i] ?? null;
        if (failure === null) resolve();
        else reject(fromFailure(failure));
      }
    } catch (cause) {
      for (const { reject } of batch) reject(cause);
    }
    underWay -= 1;
    dispatchSoon();
  }
  /** All rows of one turn of the event loop share a batch. */
  function dispatchSoon(): void {
    if (isDeferred || underWay >= batchesMax || queue.length === 0) return;
    isDeferred = true;
    setImmediate(() => void dispatch());
  }
  return {
    add: (row: RowValues): Promise<void> => {
      if (queue.length >= queueMax) return Promise.reject(new NotStoredError("busy"));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push({ row, resolve, reject });
      dispatchSoon();
      return promise;
    },
    /** Rows that wait for a batch. */
    queued: () => queue.length,
    /** Refuses what waits and has not been sent. */
    refuse: (cause: Error): void => {
      const refused = queue;
      queue = [];
      for (const { reject } of refused) reject(new NotStoredError("unavailable", cause));
    },
  };
}
