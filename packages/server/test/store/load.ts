import { NotStoredError } from "../../src/domain/page-requests/page-request-log.ts";
import type { Store } from "../../src/store/store.ts";
import { listStored, pageRequest } from "./sample.ts";

/** Page requests that are sent without a pause, several at a time, until it is stopped. */
export interface Load {
  /** Ids of those that were acknowledged so far. */
  readonly acknowledged: readonly string[];
  /** Resolves when so many more have been acknowledged. */
  more(count: number): Promise<void>;
  /** Resolves when one has been refused. */
  readonly refused: Promise<void>;
  stop(): Promise<void>;
}

/** Pause of a sender that was refused, in milliseconds. */
const retryMs = 2;

/** Sends page requests with own ids; a refusal that is no `NotStoredError` ends the load. */
export function startLoad(store: Store, inFlight: number): Load {
  const acknowledged: string[] = [];
  const refusal = Promise.withResolvers<void>();
  let wanted = { count: Number.POSITIVE_INFINITY, reached: () => {} };
  let isStopped = false;
  let sent = 0;
  const send = async () => {
    while (!isStopped) {
      const requestId = `r-${++sent}`;
      try {
        await store.pageRequests.append(pageRequest({ requestId }));
        acknowledged.push(requestId);
        if (acknowledged.length >= wanted.count) wanted.reached();
      } catch (reason) {
        if (!(reason instanceof NotStoredError)) throw reason;
        refusal.resolve();
        // A refusal is immediate: without a pause they would keep the database from coming back.
        await new Promise((resume) => setTimeout(resume, retryMs));
      }
    }
  };
  const senders = Array.from({ length: inFlight }, send);
  return {
    acknowledged,
    refused: refusal.promise,
    more: (count) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wanted = { count: acknowledged.length + count, reached: resolve };
      return promise;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(senders);
    },
  };
}

/** Acknowledged ids that are not stored, and stored ones that are there twice. */
export async function audit(url: string, acknowledged: readonly string[]) {
  const stored = (await listStored(url)).map(({ requestId }) => requestId);
  const distinct = new Set(stored);
  return {
    lost: acknowledged.filter((requestId) => !distinct.has(requestId)),
    duplicates: stored.length - distinct.size,
  };
}
